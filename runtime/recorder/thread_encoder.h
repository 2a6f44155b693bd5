// Stage: recorder. One thread's raw words -> EVENTS chunks (docs/trace-format.md, "Events of one thread").
#pragma once

#include <stdint.h>

#include <memory>
#include <utility>
#include <vector>

#include "bytes.h"
#include "dprof/trace_format.h"
#include "event_writer.h"
#include "events_chunk.h"
#include "mapped_array.h"
#include "path_loop.h"
#include "path_table.h"

namespace dprof {

enum class Encoded { all, part, unknown_path, damaged, full };

class ThreadEncoder {
public:
  explicit ThreadEncoder(const PathTable &table, const PathLoops &loops = path_loops())
      : table_(table), loops_(loops) {}

  // Encodes whole paths and events from `words`, until its end or a zero header; `*used` says how far it came. A path
  // that the table has not met yet is unknown: only the caller writes to the table, which all threads share. `part`:
  // not all yet, so that others get at the table.
  Encoded encode(const uint64_t *words, uint64_t count, uint64_t *used);

  uint64_t pending_bytes() const {
    return control_.size() + (raw_ ? sizeof(uint64_t) : difference_bytes) * differences_.count + events_.bytes();
  }
  uint32_t pending_steps() const { return steps_; }
  // Gives the next chunk, and takes the storage of a finished one in exchange. Prediction state goes on in the chunk
  // behind it, or begins anew (`restarts`).
  void take_chunk(EventsChunk &chunk);
  // From here on, where a chunk begins: RAW chunks (dprof/live_trace.h).
  void go_raw() { raw_ = true; }
  void count_lost(uint64_t paths);
  // All stamps from here on are larger.
  void pass(uint64_t stamp) { events_.pass(stamp); }
  // The mappings since the last call.
  std::vector<dprof_chunk_mapping> take_mappings() { return std::exchange(mappings_, {}); }
  uint64_t segments() const { return segments_; }
  uint64_t lost() const { return events_.lost(); }

private:
  enum class Step { taken, end, unknown_path, damaged };
  void make_room(uint64_t words);
  // `end`: of the words, if the limit is nearer to it than a path may be long.
  const uint64_t *encode_short_paths(const uint64_t *p, const uint64_t *limit, const uint64_t *end);
  const uint64_t *encode_last_paths(const uint64_t *p, const uint64_t *limit, const uint64_t *end);
  // Encodes a step that the loop leaves out: one event, or one path of any kind.
  Step encode_one(const uint64_t *&p, const uint64_t *end);
  bool put_event(const uint64_t *words, uint64_t count);
  void append_event(const uint64_t *event);
  PathState *find(uint64_t header);
  void put_path(PathState *state, const PathInfo &path, const uint64_t *words);
  void put_predicted_path(PathState *state, const PathInfo &path);
  void put_raw_path(const PathInfo &path);
  uint8_t *code_words(PathState *state, uint8_t *codes);
  PathState *state_at(PathPlace place) { return (PathState *)&states_[place]; }
  void forget_replaced_modules();
  void restart();

  const PathTable &table_;
  const PathLoops &loops_;
  MappedArray<char> states_; // by place
  // The module of the last path.
  const PathPlace *places_ = nullptr;
  uint64_t places_begin_ = 0, places_bytes_ = 0;
  size_t replaced_modules_ = 0;

  PathPlace previous_ = 0;
  uint64_t base_ = 0;
  bool restarts_ = false;                    // the chunk at hand began without predictions
  uint64_t since_restart_ = 0, learned_ = 0; // bytes: of the chunks before it, and roughly of what was new in them
  uint64_t run_ = 0;
  bool raw_ = false;
  uint32_t steps_ = 0;
  uint64_t segments_ = 0;

  static constexpr uint64_t difference_bytes = 3; // bytes of one difference in the words column, roughly
  Column control_;
  EventWriter events_;
  std::vector<dprof_chunk_mapping> mappings_;
  std::vector<uint64_t> coded_; // words of the path that encode_one is at
  std::shared_ptr<PackingHabit> habit_ = std::make_shared<PackingHabit>();
  Differences differences_;      // in a RAW chunk: its words
  std::vector<TimeStamp> times_; // of TIME events, on their way into the events column
};

} // namespace dprof
