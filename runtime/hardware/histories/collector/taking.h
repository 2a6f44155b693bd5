// Stage: collector of histories. The program's requests -> registers armed and released -> histories in a file.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "../../code/debug_info.h"
#include "histories_file.h"
#include "registers.h"
#include "session.h"
#include "watch_plan.h"

namespace dprof {

struct Wishes {
  std::vector<std::string> types; // none: every struct that is allocated
  PlanWishes plan;
  std::map<std::string, ChosenSlots> slots_of; // by type; of others all
  uint64_t seed = 1;
  uint32_t one_in = 4;
  uint32_t per_second = 0;    // histories; 0: as many as come
  uint32_t most_elements = 0; // of a history; 0: any number
  uint64_t longest_ns = 0;    // that an object is watched while others are turned away; 0: to its end
  uint32_t sets = 0;          // of each type; 0: until the program ends
  bool share_lines = false;
};

class Taking {
public:
  Taking(Session &session, HistoriesFile &file, const Wishes &wishes);

  // Runs until `child` has ended; returns its wait status. -1: the registers are not available (`refusal` says why),
  // and the program was killed.
  int run(pid_t child);
  int refusal() const { return refusal_; }
  unsigned available_registers() const { return available_registers_; } // valid after a refusal
  bool program_came() const { return debug_info_ != nullptr; }
  // Types of allocations for which nobody asked, for a hint.
  const std::set<std::string> &other_types() const { return other_types_; }
  // Types whose size differs from that in the samples by which slots were chosen.
  const std::set<std::string> &other_builds() const { return other_builds_; }
  uint32_t types() const { return (uint32_t)types_.size(); }
  // The END chunk's JSON.
  Json counts(int status) const;

private:
  struct Type {
    TypeLayout layout;
    WatchPlan plan;
    std::vector<uint32_t> order = {}; // of the watches of the set that is being taken
    uint32_t set = 0;
    uint32_t watch = 0; // in that order, the next one
    uint64_t histories = 0, misaligned = 0, enough = 0, elements = 0;
  };
  // An object that is watched at the moment.
  struct Watched {
    History history;
    uint64_t base; // of the part of the object whose slots are watched
    std::vector<Slot> slots;
  };

  bool handle_request();
  void answer_site(uint32_t site);
  uint32_t type_number(const TypeLayout &layout);
  void open_thread(pid_t thread);
  // Finds threads that were not announced because a bare clone made them.
  void look_for_threads();
  void arm();
  bool plan_alone(const dprof_histories_object &object, Watched *watched);
  bool plan_together(const dprof_histories_object *objects, Watched *watched);
  void release(dprof_histories_ending ending, const dprof_histories_object *by);
  void collect(std::vector<Sighting> *seen);
  void write_places();
  void look_at_limits();
  bool has_enough() const;
  // Number of objects that came while another one was watched.
  uint64_t turned_away() const;
  uint64_t draw();
  void shuffle(std::vector<uint32_t> *order);
  void sleep(long milliseconds);

  Session &session_;
  HistoriesFile &file_;
  const Wishes wishes_;
  Registers registers_;
  std::unique_ptr<DebugInfo> debug_info_;
  std::vector<Type> types_;
  std::set<std::string> other_types_, other_builds_;
  std::vector<Watched> watched_; // none, one, or two that share a line
  std::vector<Sighting> seen_;
  std::vector<uint64_t> new_places_;
  std::unordered_map<uint64_t, bool> known_places_;
  uint64_t random_;
  uint64_t turned_away_ = 0; // its value when the registers were armed
  uint64_t stray_ = 0;       // sightings outside all watched slots
  std::set<pid_t> late_threads_, refused_threads_;
  /** They said that they end; the kernel may list them a little longer. */
  std::set<pid_t> ended_threads_;
  uint64_t looked_ns_ = 0; // the last time it looked for threads
  uint64_t unwatched_threads_ = 0, threads_ = 0, endings_[6] = {}, started_ns_ = 0, ended_ns_ = 0, armed_ns_ = 0,
           released_ns_ = 0;
  uint64_t sites_ns_ = 0, first_stamp_ = 0, last_stamp_ = 0;
  pid_t program_ = 0;
  int refusal_ = 0;
  unsigned available_registers_ = 0;
};

uint64_t monotonic_ns();

} // namespace dprof
