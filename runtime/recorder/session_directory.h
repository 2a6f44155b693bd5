// Stage: recorder. Makes the session directory, and removes it and those of dead recorders.
#pragma once

#include <stdint.h>

#include <string>

#include "dprof/session.h"

namespace dprof {

class SessionDirectory {
public:
  ~SessionDirectory();
  // 0, or an errno.
  int create();
  const std::string &path() const { return path_; }
  dprof_session_control *control() const { return control_; }
  // Makes the files that processes asked for which can not make them themselves.
  void keep_spares();
  std::string image_path(uint32_t image) const { return path_ + "/p." + std::to_string(image); }

private:
  std::string path_;
  int lock_ = -1;
  dprof_session_control *control_ = nullptr;
};

} // namespace dprof
