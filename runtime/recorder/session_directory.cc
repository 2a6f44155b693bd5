// Stage: recorder. One directory per recording in memory-backed storage; a file lock shows that its recorder lives.
#include "session_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

namespace dprof {
namespace {

constexpr char prefix[] = "dprof-session-";
constexpr uint64_t wanted_bytes = 32u << 20;

void remove_directory(const std::string &path) {
  if (DIR *directory = opendir(path.c_str())) {
    while (dirent *entry = readdir(directory))
      if (entry->d_name[0] != '.') unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
  }
  rmdir(path.c_str());
}

// The recorder held this lock as long as it lived.
void remove_if_stale(const std::string &path) {
  int fd = open((path + "/control").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) remove_directory(path);
  close(fd);
}

void remove_stale(const std::string &parent) {
  std::vector<std::string> found;
  if (DIR *directory = opendir(parent.c_str())) {
    while (dirent *entry = readdir(directory))
      if (strncmp(entry->d_name, prefix, sizeof prefix - 1) == 0) found.push_back(parent + "/" + entry->d_name);
    closedir(directory);
  }
  for (const std::string &path : found) remove_if_stale(path);
}

bool has_room(const std::string &parent) {
  struct statvfs status;
  return statvfs(parent.c_str(), &status) == 0 && (uint64_t)status.f_bavail * status.f_frsize >= wanted_bytes;
}

std::vector<std::string> candidates() {
  std::vector<std::string> all = {"/dev/shm"};
  if (const char *temporary = getenv("TMPDIR"); temporary && temporary[0] == '/') all.push_back(temporary);
  all.push_back("/tmp");
  return all;
}

// The kernel marks a robust mutex when its owner dies, however it dies.
bool hold_robust_mutex(void *at) {
  static_assert(sizeof(pthread_mutex_t) <= sizeof(dprof_session_control::alive));
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  bool held =
      pthread_mutex_init((pthread_mutex_t *)at, &attributes) == 0 && pthread_mutex_lock((pthread_mutex_t *)at) == 0;
  pthread_mutexattr_destroy(&attributes);
  return held;
}

} // namespace

int SessionDirectory::create() {
  int error = ENOENT;
  for (const std::string &parent : candidates()) {
    remove_stale(parent);
    if (!has_room(parent)) {
      error = ENOSPC;
      continue;
    }
    std::string path = parent + "/" + prefix + "XXXXXX";
    if (!mkdtemp(path.data())) {
      error = errno;
      continue;
    }
    path_ = path;
    std::string building = path + "/control.new";
    lock_ = open(building.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_ < 0 || flock(lock_, LOCK_EX) != 0 || ftruncate(lock_, sizeof(dprof_session_control)) != 0) return errno;
    void *at = mmap(nullptr, sizeof(dprof_session_control), PROT_READ | PROT_WRITE, MAP_SHARED, lock_, 0);
    if (at == MAP_FAILED) return errno;
    control_ = (dprof_session_control *)at;
    control_->recorder_pid = (uint32_t)getpid();
    if (!hold_robust_mutex(control_->alive)) return ENOTSUP;
    control_->version = DPROF_SESSION_VERSION;
    control_->magic = DPROF_SESSION_MAGIC;
    return rename(building.c_str(), (path + "/control").c_str()) == 0 ? 0 : errno;
  }
  return error;
}

void SessionDirectory::keep_spares() {
  if (__atomic_load_n(&control_->spares_wanted, __ATOMIC_ACQUIRE) != 1) return;
  uint32_t answer = 0;
  for (unsigned i = 0; i < DPROF_SESSION_SPARES; i++) {
    std::string path = path_ + "/s." + std::to_string(i), building = path_ + "/spare.new";
    if (access(path.c_str(), F_OK) == 0) continue;
    int fd = open(building.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    constexpr off_t large = (off_t)8 << 30; // more than any image; nothing of it exists before it is touched
    if (fd < 0 || ftruncate(fd, large) != 0 || rename(building.c_str(), path.c_str()) != 0)
      answer = DPROF_SPARES_REFUSED;
    if (fd >= 0) close(fd);
  }
  __atomic_store_n(&control_->spares_wanted, answer, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&control_->wake, 1u, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &control_->wake, FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0);
}

SessionDirectory::~SessionDirectory() {
  if (control_) control_->stopped = 1;
  if (!path_.empty()) remove_directory(path_);
  if (lock_ >= 0) close(lock_);
}

} // namespace dprof
