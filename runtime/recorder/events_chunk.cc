// Stage: recorder. Packs the columns of one EVENTS chunk.
#include "events_chunk.h"

#include "dprof/trace_format.h"

namespace dprof {

void EventsChunk::pack(std::vector<uint8_t> &payload) const {
  payload.clear();
  dprof_chunk_events header = {steps, entries};
  put_raw(payload, &header, sizeof header);
  for (const Column *column : {&control, &words, &events}) put_column(payload, column->data(), column->size());
}

} // namespace dprof
