// Stage: collector of histories. All of the file at once: it is small.
#include "session.h"

#include <unistd.h>

namespace dprof {

int Session::create() {
  if (int error = file_.create("dprof-histories-", sizeof(dprof_histories_control), sizeof(dprof_histories_control)))
    return error;
  control().magic = DPROF_HISTORIES_MAGIC;
  control().version = DPROF_HISTORIES_VERSION;
  control().collector_pid = (uint32_t)getpid();
  return 0;
}

} // namespace dprof
