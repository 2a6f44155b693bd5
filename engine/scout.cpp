// Stage: replay. Events columns alone, chunk by chunk.
#include "scout.h"

namespace dprof {

bool Scout::next(Event &event) {
  while (left_ == 0) {
    if (chunk_ == chunks_.offset.size()) {
      ended_ = true;
      return false;
    }
    left_ = columns_.load(file_, chunks_.offset[chunk_], chunks_.bytes[chunk_], 2).events;
    events_.restart(columns_.cursor[2]);
    chunk_++;
  }
  left_--;
  event = events_.next();
  return true;
}

} // namespace dprof
