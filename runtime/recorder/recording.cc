// Stage: recorder. The loop: find new images, drain all, notice ends, sleep until somebody wakes it.
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "clock.h"
#include "message.h"

namespace dprof {
namespace {

Json exit_of(int status) {
  if (WIFSIGNALED(status)) return {{"signal", WTERMSIG(status)}};
  return {{"code", WEXITSTATUS(status)}};
}

bool read_text(const std::string &path, char *to, size_t capacity) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t n = read(fd, to, capacity - 1);
  close(fd);
  to[n > 0 ? n : 0] = 0;
  return n > 0;
}

// Exit status of another process's child. It can be read as long as nobody has waited for the process.
bool read_zombie_status(pid_t pid, int *status) {
  char text[2048];
  if (!read_text("/proc/" + std::to_string(pid) + "/stat", text, sizeof text)) return false;
  const char *after_name = strrchr(text, ')');
  const char *last = strrchr(text, ' ');
  if (!after_name || after_name[1] == 0 || after_name[2] != 'Z' || !last) return false;
  *status = atoi(last + 1);
  return true;
}

std::string hint_for(uint32_t failure, const std::string &session_path) {
  switch (failure) {
    case EACCES:
    case EPERM: return "a process that has changed its user or root can not reach the recording any more";
    case EMFILE:
    case ENFILE: return "allow more open files (ulimit -n): a process that starts needs one for a moment";
    case ENOMEM:
    case EFBIG: return "allow more address space or larger files (ulimit -v, ulimit -f)";
    default: return "make room in " + session_path.substr(0, session_path.rfind('/'));
  }
}

} // namespace

Recording::Recording(SessionDirectory &session, Destination &destination, std::unique_ptr<Sink> main_sink)
    : session_(session), destination_(destination), main_sink_(std::move(main_sink)), writer_(most_encoders()),
      drain_(writer_, most_encoders()) {}

void Recording::set_main(pid_t pid, bool is_child, bool kept_randomised) {
  main_pid_ = pid;
  main_is_child_ = is_child;
  kept_randomised_ = kept_randomised;
}

bool Recording::is_randomised(pid_t pid) const {
  char text[32];
  if (read_text("/proc/sys/kernel/randomize_va_space", text, sizeof text) && text[0] == '0') return false;
  if (read_text("/proc/" + std::to_string(pid) + "/personality", text, sizeof text))
    return !(strtoul(text, nullptr, 16) & ADDR_NO_RANDOMIZE);
  return kept_randomised_;
}

// The main program has the sink that was asked for; another process one of its own, and so a program that either starts
// in its place.
std::unique_ptr<Sink> Recording::sink_for(pid_t pid) {
  unsigned image = ++images_of_pid_[pid];
  if (pid == main_pid_ && image == 1) return std::move(main_sink_);
  Failure failure;
  std::unique_ptr<Sink> sink = destination_.open_other(pid, image, &failure);
  if (!sink) complain(failure.line, failure.hint);
  return sink;
}

bool Recording::is_first_of_main(const Image &image) {
  return image.pid() == main_pid_ && images_of_pid_[main_pid_] == 1;
}

void Recording::discover() {
  dprof_session_control *control = session_.control();
  uint32_t given = __atomic_load_n(&control->images, __ATOMIC_ACQUIRE);
  while (numbers_seen_ < given && missing_.size() < 4096) missing_.push_back(numbers_seen_++);
  for (size_t i = 0; i < missing_.size();) {
    std::unique_ptr<Image> image = Image::open(session_, writer_, homes_, missing_[i]);
    if (!image) {
      i++;
      continue;
    }
    missing_.erase(missing_.begin() + (long)i);
    for (auto &older : images_) // it called exec
      if (older->pid() == image->pid() && !older->is_finished()) settle(*older, {{"exec", true}});
    std::unique_ptr<Sink> sink = sink_for(image->pid());
    if (!sink) {
      failed_ = true;
      continue;
    }
    image->begin_trace(std::move(sink), is_randomised(image->pid()), destination_.drops());
    if (is_first_of_main(*image)) image->keep();
    images_.push_back(std::move(image));
  }
  uint32_t failure = __atomic_load_n(&control->failure, __ATOMIC_ACQUIRE);
  if (failure && failure != failure_told_) {
    complain("not all could be recorded: " + std::string(strerror((int)failure)), hint_for(failure, session_.path()));
    failure_told_ = failure;
    failed_ = true;
  }
}

void Recording::reap() {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    statuses_[pid] = status;
    if (pid != main_pid_) continue;
    main_status_ = status;
    main_ended_ = true;
    main_ended_ns_ = now_ns();
  }
}

Json Recording::exit_of_image(const Image &image) const {
  int status;
  uint32_t code;
  if (auto found = statuses_.find(image.pid()); found != statuses_.end()) return exit_of(found->second);
  if (image.is_dead() && read_zombie_status(image.pid(), &status)) return exit_of(status);
  if (image.exit_code_known(&code)) return {{"code", code}};
  return Json::object();
}

void Recording::report_write_error(Sink &sink) {
  if (!failed_ && sink.error() != ECANCELED)
    complain(sink.name() + ": " + strerror(sink.error()) + "; recording stopped, what was written is kept",
             sink.error() == EPIPE ? "whatever reads it has ended: let it read to the end, or write to a file with -o"
                                   : "make room, or choose another place with -o");
  failed_ = true;
}

bool Recording::drain_all() {
  std::vector<Image *> alive;
  for (auto &image : images_)
    if (!image->is_finished()) alive.push_back(image.get());
  return drain_.run(alive);
}

void Recording::settle(Image &image, const Json &exit) {
  while (drain_.run({&image})) continue;
  image.finish(exit);
  bool is_main = is_first_of_main(image);
  if (!image.has_modules() || (image.segments() == 0 && !is_main)) {
    image.discard();
    if (!is_main) images_of_pid_[image.pid()]--;
  } else {
    anything_recorded_ = true;
    image.sink().finish();
    if (image.sink().error()) report_write_error(image.sink());
    struct stat written;
    bool is_file = stat(image.sink().name().c_str(), &written) == 0 && S_ISREG(written.st_mode);
    traces_.push_back({image.sink().name(), image.program(), image.pid(), is_file ? (uint64_t)written.st_size : 0,
                       image.segments(), is_main});
  }
  image.wake_all();
}

void Recording::settle_the_ended() {
  for (size_t i = 0; i < images_.size(); i++) {
    Image *image = images_[i].get();
    if (image->is_finished()) continue;
    if (image->sink().error()) { // the program runs on undisturbed
      report_write_error(image->sink());
      __atomic_store_n(&session_.control()->stopped, 1u, __ATOMIC_RELEASE);
    }
    bool child = image->pid() == main_pid_ && main_is_child_;
    bool ended = child ? main_ended_ : statuses_.count(image->pid()) || image->is_dead();
    if (!ended && !image->is_closing()) continue;
    if (!child) reap();
    discover(); // a process that called exec and ended has a newer image by now
    if (!image->is_finished()) settle(*image, exit_of_image(*image));
  }
  std::erase_if(images_, [](auto &image) { return image->is_finished(); });
  if (!main_is_child_ && !main_ended_) {
    bool there = kill(main_pid_, 0) == 0 || errno != ESRCH;
    bool recorded = images_of_pid_[main_pid_] > 0;
    bool alive = std::any_of(images_.begin(), images_.end(), [&](auto &image) { return image->pid() == main_pid_; });
    if (!there || (recorded && !alive)) {
      main_ended_ = true;
      main_ended_ns_ = now_ns();
    }
  }
}

void Recording::mention_waiting() {
  if (!main_ended_ || mentioned_waiting_ || images_.empty() || now_ns() - main_ended_ns_ < 1000000000) return;
  mentioned_waiting_ = true;
  say("waiting for " + std::to_string(images_.size()) +
      (images_.size() == 1 ? " background process that records" : " background processes that record"));
}

// The main process is gone and nobody records; but a child that it left behind may not have joined the session yet.
bool Recording::somebody_may_come() const {
  siginfo_t information = {};
  if (main_is_child_ && waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT) != 0)
    return false; // no children at all
  uint64_t patience_ns = missing_.empty() ? (main_is_child_ ? 200000000 : 0) : 2000000000;
  return now_ns() - main_ended_ns_ < patience_ns;
}

void Recording::run() {
  dprof_session_control *control = session_.control();
  while (true) {
    uint32_t seen = __atomic_load_n(&control->wake, __ATOMIC_SEQ_CST);
    if (main_is_child_ || !main_ended_) reap();
    session_.keep_spares();
    discover();
    bool busy = drain_all();
    size_t before = images_.size();
    settle_the_ended();
    busy |= images_.size() != before;
    bool is_eager = false;
    for (auto &image : images_) {
      image->settle_replaced();
      image->flush_old();
      image->tell_quiet();
      is_eager |= image->is_eager();
    }
    if (main_ended_ && images_.empty()) {
      discover(); // a process may have begun and ended meanwhile
      if (images_.empty() && !somebody_may_come()) break;
    }
    mention_waiting();
    if (busy) continue;
    timespec timeout = {0, is_eager ? 5000000 : 50000000};
    __atomic_store_n(&control->sleeping, 1u, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &control->wake, FUTEX_WAIT, seen, &timeout, nullptr, 0);
    __atomic_store_n(&control->sleeping, 0u, __ATOMIC_SEQ_CST);
  }
  if (main_sink_) main_sink_->remove();
}

void Recording::list_traces() {
  constexpr size_t most = 20;
  constexpr size_t most_replayed = 63; // MOST_PROCESSES of src/replay/room-for-processes.ts
  std::vector<std::string> others;
  for (const Trace &trace : traces_)
    if (!trace.is_main) others.push_back(trace.name);
  if (!destination_.tell_others(others)) {
    complain("the traces of other processes could not be passed on: " + std::string(strerror(errno)),
             "make room in TMPDIR");
    failed_ = true;
  }
  if (traces_.size() < 2 || destination_.is_passing()) return;
  std::sort(traces_.begin(), traces_.end(), [&](const Trace &a, const Trace &b) {
    return std::pair(a.pid != main_pid_, a.name) < std::pair(b.pid != main_pid_, b.name);
  });
  std::string text = std::to_string(traces_.size()) + " processes were recorded:";
  size_t shown = 0;
  for (const Trace &trace : traces_) {
    if (shown++ == most) break;
    text += "\n  " + trace.name + (trace.bytes ? "  " + std::to_string(trace.bytes) + " bytes" : "") + "  " +
            trace.program + " (pid " + std::to_string(trace.pid) + ")";
  }
  if (traces_.size() > most) text += "\n  and " + std::to_string(traces_.size() - most) + " more";
  say(text);
  if (destination_.is_trace_file()) {
    const bool too_many = traces_.size() > most_replayed;
    say("next: dprof report " + (traces_[0].is_main ? traces_[0].name + " " : "") + destination_.target() + ".*" +
        (too_many ? ": those " + std::to_string(most_replayed) + " that recorded most, unless you name fewer" : ""));
  }
}

void Recording::tell_what_next() {
  if (failed_ || traces_.size() != 1 || !destination_.is_trace_file()) return;
  const Trace &trace = traces_[0];
  say(trace.name + ": " + std::to_string(trace.bytes) + " bytes, " + std::to_string(trace.segments) +
      (trace.segments == 1 ? " segment" : " segments") + "; next: dprof report " + trace.name);
}

} // namespace dprof
