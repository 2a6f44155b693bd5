// Stage: collectors of histories and samples. mkostemp, posix_fallocate and mmap; names hold the number of who made
// them.
#include "shared_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

namespace dprof {
namespace {

void remove_abandoned(const std::string &folder, const std::string &name_begin) {
  DIR *files = opendir(folder.c_str());
  if (!files) return;
  while (const dirent *entry = readdir(files)) {
    const std::string name = entry->d_name;
    if (name.compare(0, name_begin.size(), name_begin) != 0) continue;
    pid_t owner = (pid_t)atoi(name.c_str() + name_begin.size());
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) unlink((folder + "/" + name).c_str());
  }
  closedir(files);
}

} // namespace

SharedFile::~SharedFile() {
  if (address_) munmap(address_, bytes_);
  if (!path_.empty()) unlink(path_.c_str());
}

int SharedFile::create(const std::string &name_begin, size_t bytes, size_t there) {
  const char *temporary = getenv("TMPDIR");
  int error = ENOENT;
  for (const std::string &folder : {std::string("/dev/shm"), std::string(temporary ? temporary : "/tmp")}) {
    remove_abandoned(folder, name_begin);
    std::string path = folder + "/" + name_begin + std::to_string(getpid()) + "-XXXXXX";
    int file = mkostemp(path.data(), O_CLOEXEC);
    if (file < 0) {
      error = errno;
      continue;
    }
    path_ = path;
    error = posix_fallocate(file, 0, (off_t)there);
    if (!error && ftruncate(file, (off_t)bytes) != 0) error = errno;
    void *at = error ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (!error && at == MAP_FAILED) error = errno;
    close(file);
    if (!error) {
      address_ = at;
      bytes_ = bytes;
      return 0;
    }
    unlink(path_.c_str());
    path_.clear();
  }
  return error;
}

} // namespace dprof
