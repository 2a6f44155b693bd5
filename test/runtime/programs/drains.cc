// The recorder's drain of one and the same session, again and again. drains TRACE ENCODERS... -- PROGRAM ARGUMENTS: the
// program runs while nobody takes what it logs, and is killed when it waits for its trace, or for room: a thread that
// spins while the holder of its lock has no processor logs more than its buffers hold. Then each number of encoders
// makes a trace of it, TRACE.<encoders>.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "../../../runtime/recorder/drain.h"
#include "../../../runtime/recorder/launch.h"
#include "../../../runtime/recorder/session_directory.h"
#include "../../../runtime/recorder/trace_file.h"

using namespace dprof;

namespace {

[[noreturn]] void fail(const char *what) {
  perror(what);
  exit(1);
}

// All of a session that draining it changes: the image's file up to its buffers, and the module files, which go.
class Kept {
public:
  explicit Kept(const std::string &image) : image_(image) {
    const int file = open(image.c_str(), O_RDWR);
    auto *head =
        (const dprof_session_process *)mmap(nullptr, sizeof(dprof_session_process), PROT_READ, MAP_SHARED, file, 0);
    if (head == MAP_FAILED) fail(image.c_str());
    bytes_ = head->buffers_offset;
    modules_ = head->modules;
    at_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at_ == MAP_FAILED) fail(image.c_str());
    copy_.assign((const char *)at_, bytes_);
    for (uint32_t i = 0; i < modules_; i++)
      if (link(module(i).c_str(), (module(i) + ".kept").c_str()) != 0) fail("link");
  }
  void restore() {
    memcpy(at_, copy_.data(), bytes_);
    for (uint32_t i = 0; i < modules_; i++)
      if (access(module(i).c_str(), F_OK) != 0 && link((module(i) + ".kept").c_str(), module(i).c_str()) != 0)
        fail("link");
  }

private:
  std::string module(uint32_t number) const { return image_ + ".m" + std::to_string(number); }

  std::string image_, copy_;
  size_t bytes_;
  uint32_t modules_;
  void *at_;
};

// Of a program that runs for milliseconds.
constexpr int WAITS_FOR_ROOM_MS = 20000;

// Until it is dead, or waits for somebody to drain what it logged.
void let_run(pid_t program, const std::string &image) {
  for (int ms = 0; waitpid(program, nullptr, WNOHANG) == 0; ms++) {
    usleep(1000);
    if (ms == WAITS_FOR_ROOM_MS) kill(program, SIGKILL);
    const int file = open(image.c_str(), O_RDONLY | O_CLOEXEC);
    dprof_session_process head;
    if (file >= 0 && read(file, &head, sizeof head) == sizeof head && head.state == DPROF_PROCESS_CLOSING)
      kill(program, SIGKILL);
    if (file >= 0) close(file);
  }
}

void drain(const SessionDirectory &session, unsigned encoders, const std::string &path) {
  ChunkWriter writer(encoders);
  Drain drain(writer, encoders);
  ModuleHomes homes;
  auto file = std::make_unique<TraceFile>();
  if (file->create(path) != 0) fail(path.c_str());
  std::unique_ptr<Image> image = Image::open(session, writer, homes, 0);
  if (!image) fail("no image");
  image->begin_trace(std::move(file), false, false);
  while (drain.run({image.get()})) continue;
  image->finish({{"signal", 9}});
  image->sink().finish();
  if (image->sink().error()) fail(path.c_str());
}

} // namespace

int main(int count, char **arguments) {
  if (count < 2) return 2;
  const std::string path = arguments[1];
  std::vector<unsigned> encoders;
  int i = 2;
  for (; i < count && strcmp(arguments[i], "--") != 0; i++) encoders.push_back((unsigned)atoi(arguments[i]));
  if (i + 1 >= count) return 2;
  SessionDirectory session;
  if (session.create() != 0) fail("session");
  const Launch program = launch(arguments + i + 1, {{"DPROF_SESSION", session.path()}}, false, false);
  if (program.error) fail(arguments[i + 1]);
  let_run(program.pid, session.image_path(0));
  Kept kept(session.image_path(0));
  for (unsigned number : encoders) {
    kept.restore();
    drain(session, number, path + "." + std::to_string(number));
  }
  return 0;
}
