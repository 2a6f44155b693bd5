// Stage: recorder. The program wrote the file that is read here: its lengths are checked before they are believed.
#include "module_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "dprof/session.h"
#include "dprof/trace_format.h"

namespace dprof {

Bytes read_module_file(const std::string &path) {
  Bytes bytes;
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  dprof_session_module header;
  if (fd >= 0 && fstat(fd, &status) == 0 && pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header) {
    uint64_t most = std::min<uint64_t>((uint64_t)status.st_size, 2 * DPROF_CHUNK_MAX_BYTES);
    bool fits = header.globals_count <= most / sizeof(dprof_global) && header.units_bytes <= most;
    uint64_t wanted = fits ? sizeof header + header.path_bytes + header.build_id_bytes +
                                 header.globals_count * sizeof(dprof_global) + header.units_bytes
                           : 0;
    bytes.resize(wanted <= most ? wanted : 0);
    size_t at = 0;
    while (at < bytes.size()) {
      ssize_t n = pread(fd, bytes.data() + at, bytes.size() - at, (off_t)at);
      if (n <= 0) break;
      at += (size_t)n;
    }
    bytes.resize(at);
  }
  if (fd >= 0) close(fd);
  return bytes;
}

} // namespace dprof
