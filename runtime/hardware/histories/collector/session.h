// Stage: collector of histories. The file that the program maps.
#pragma once

#include <string>

#include "../../../recorder/shared_file.h"
#include "dprof/histories_session.h"

namespace dprof {

class Session {
public:
  // 0, or an errno.
  int create();
  const std::string &path() const { return file_.path(); }
  dprof_histories_control &control() { return *(dprof_histories_control *)file_.address(); }

private:
  SharedFile file_;
};

} // namespace dprof
