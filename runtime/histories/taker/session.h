// Stage: taker. The file that the program maps.
#pragma once

#include <string>

#include "dprof/histories_session.h"

namespace dprof {

class Session {
public:
  Session() = default;
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  // 0, or an errno.
  int create();
  const std::string &path() const { return path_; }
  dprof_histories_control &control() { return *control_; }

private:
  std::string path_;
  dprof_histories_control *control_ = nullptr;
};

} // namespace dprof
