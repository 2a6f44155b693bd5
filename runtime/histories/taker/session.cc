// Stage: taker. A file in /dev/shm, or in a folder for temporary files where that is not writable.
#include "session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace dprof {
namespace {

constexpr char name_begin[] = "dprof-histories-";

// Of takers that were killed: their number is in the name.
void remove_abandoned(const std::string &folder) {
  DIR *files = opendir(folder.c_str());
  if (!files) return;
  while (const dirent *entry = readdir(files)) {
    if (strncmp(entry->d_name, name_begin, sizeof name_begin - 1) != 0) continue;
    pid_t taker = (pid_t)atoi(entry->d_name + sizeof name_begin - 1);
    if (taker > 0 && kill(taker, 0) != 0 && errno == ESRCH) unlink((folder + "/" + entry->d_name).c_str());
  }
  closedir(files);
}

} // namespace

Session::~Session() {
  if (control_) munmap(control_, sizeof *control_);
  if (!path_.empty()) unlink(path_.c_str());
}

int Session::create() {
  const char *temporary = getenv("TMPDIR");
  int error = ENOENT;
  for (const std::string &folder : {std::string("/dev/shm"), std::string(temporary ? temporary : "/tmp")}) {
    remove_abandoned(folder);
    std::string path = folder + "/" + name_begin + std::to_string(getpid()) + "-XXXXXX";
    int file = mkostemp(path.data(), O_CLOEXEC);
    if (file < 0) {
      error = errno;
      continue;
    }
    path_ = path;
    // All of it at once: a full /dev/shm would otherwise kill the program at the first touch.
    error = posix_fallocate(file, 0, sizeof *control_);
    void *at = error ? MAP_FAILED : mmap(nullptr, sizeof *control_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (!error && at == MAP_FAILED) error = errno;
    close(file);
    if (!error) {
      control_ = (dprof_histories_control *)at;
      control_->magic = DPROF_HISTORIES_MAGIC;
      control_->version = DPROF_HISTORIES_VERSION;
      control_->taker_pid = (uint32_t)getpid();
      return 0;
    }
    unlink(path_.c_str());
    path_.clear();
  }
  return error;
}

} // namespace dprof
