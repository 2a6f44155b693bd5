// Stage: recorder. One thread's raw words -> records as in dprof/sink.h: splits paths into accesses, fills in derived
// addresses.
#pragma once

#include <stdint.h>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dprof/sink.h"
#include "path_table.h"
#include "site_table.h"
#include "thread_encoder.h"
#include "unit_view.h"

namespace dprof {

// The words that each path's slots read; shared by all threads of a process.
class PathPlans {
public:
  PathPlans(PathTable &table, const SiteTable &sites) : table_(table), sites_(sites) {}
  struct Step {
    const dprof_sink_site *site;
    uint32_t size, word, further; // words behind the header word: that of the address (if it is derived, of its base),
                                  // and that of the slot's further data
    int32_t delta;
    uint16_t lanes;
    uint8_t kind;             // enum dprof_slot_kind, or one of those below
    uint32_t stride_word = 0; // for a loop: the word that holds its stride; 0: `stride`
    int32_t stride = 0;
  };
  enum { ALLOCATION = 64, FREE = 65 };
  struct Plan {
    std::vector<Step> steps;
    uint32_t words = 0, segments = 0;
    uint8_t stamp_event = 0; // event of the last step; its stamp is the last word
    bool is_loop = false;    // word 0 is the number of whole iterations; the steps are those of one
    uint32_t tail_steps = 0; // steps of the last, partial iteration, in which the loop was left
  };
  // Null: there is no such path.
  const Plan *find(uint64_t header);
  // The text of a mark, kept as long as the process.
  const char *text(std::string mark);

private:
  bool build(const PathSource &source, Plan *plan) const;
  bool build_loop(const PathSource &source, const UnitView &unit, Plan *plan) const;
  PathTable &table_;
  const SiteTable &sites_;
  std::unordered_map<uint64_t, Plan> plans_;
  std::unordered_set<std::string> texts_;
  size_t replaced_ = 0;
};

class RecordDecoder {
public:
  RecordDecoder(PathPlans &plans, uint32_t thread) : plans_(plans), thread_(thread) {}
  // As ThreadEncoder's `encode`. `full`: the caller must take the pending records, then go on with the unused words.
  Encoded decode(const uint64_t *words, uint64_t count, uint64_t *used);
  void count_lost(uint64_t paths);
  std::vector<dprof_sink_record> &pending() { return pending_; }
  uint64_t segments() const { return segments_; }
  uint64_t lost() const { return lost_; }

private:
  void put(const dprof_sink_site *site, uint16_t kind, uint64_t address, uint64_t size, uint64_t stamp = 0,
           uint16_t detail = 0);
  void put_event(const uint64_t *event);
  void put_mark(const uint64_t *event, uint16_t kind);
  void put_path(const PathPlans::Plan &plan, const uint64_t *words);
  bool put_loop(const PathPlans::Plan &plan, const uint64_t *words);
  void put_step(const PathPlans::Step &step, uint64_t address, uint64_t stamp, const uint64_t *words);

  PathPlans &plans_;
  uint32_t thread_;
  std::vector<dprof_sink_record> pending_;
  uint64_t segments_ = 0, lost_ = 0;
  uint64_t iterations_ = 0; // finished iterations of the loop at hand
};

} // namespace dprof
