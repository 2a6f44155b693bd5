// Stage: runtime. strtok -> what it will keep in a variable of its own, for measure.cc.
#include <string.h>

#include "interpose.h"
#include "real.h"

using namespace dprof;

DPROF_EXPORT char *strtok(char *text, const char *separators) noexcept {
  if (__builtin_expect(recording, 0)) note_strtok(text, separators);
  return real().strtok(text, separators);
}
