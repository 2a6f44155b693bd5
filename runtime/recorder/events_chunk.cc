// Stage: recorder. Packs the columns of one EVENTS chunk.
#include "events_chunk.h"

#include "dprof/trace_format.h"

namespace dprof {

void EventsChunk::pack(Bytes &payload, const PathLoops &loops) {
  words.clear();
  words.reserve(differences.count * longest_varint + most_behind_words);
  const uint64_t *begin = differences.storage.data();
  words.set_end(loops.pack(begin, begin + differences.count, words.end()));
  payload.clear();
  dprof_chunk_events header = {steps, entries};
  put_raw(payload, &header, sizeof header);
  for (const Column *column : {&control, &words, &events}) put_column(payload, column->data(), column->size());
}

} // namespace dprof
