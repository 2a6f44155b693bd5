// Stage: replay. Nameless files; a refusal by the disk is an error of its own.
#include "base/temporary_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace dprof {

TemporaryFile::TemporaryFile(const std::string &folder)
    : descriptor_(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)), folder_(folder) {
  if (descriptor_ >= 0) return;
  std::string name = folder + "/dprof-XXXXXX"; // a file system without nameless files
  descriptor_ = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) throw DiskError("cannot make a file in " + folder + ": " + std::strerror(errno));
  unlink(name.c_str());
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

TemporaryFile TemporaryFile::duplicate() const {
  TemporaryFile other;
  if (descriptor_ < 0) return other;
  other.folder_ = folder_;
  other.descriptor_ = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (other.descriptor_ < 0) throw DiskError("cannot open a file in " + folder_ + " again: " + std::strerror(errno));
  return other;
}

void TemporaryFile::write(uint64_t at, const void *from, size_t bytes) const {
  for (size_t done = 0; done < bytes;) {
    ssize_t put =
        pwrite(descriptor_, static_cast<const char *>(from) + done, bytes - done, static_cast<off_t>(at + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw DiskError("cannot write a file in " + folder_ + ": " + std::strerror(put < 0 ? errno : ENOSPC));
    done += static_cast<size_t>(put);
  }
}

void TemporaryFile::read(uint64_t at, void *into, size_t bytes) const {
  for (size_t done = 0; done < bytes;) {
    ssize_t got = pread(descriptor_, static_cast<char *>(into) + done, bytes - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw DiskError("cannot read a file in " + folder_ + " again: " + std::strerror(got < 0 ? errno : EIO));
    done += static_cast<size_t>(got);
  }
}

} // namespace dprof
