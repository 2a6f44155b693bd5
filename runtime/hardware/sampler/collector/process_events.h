// Stage: sampler. Records of threads, processes and mappings -> which processes belong to the program, the names of
// threads, and which threads begin and end.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <string>
#include <unordered_set>
#include <vector>

namespace dprof {

class ProcessEvents {
public:
  struct Name {
    uint64_t time_ns;
    uint32_t pid, tid;
    std::string name;
    bool is_exec;
  };
  struct Change {
    uint64_t time_ns;
    bool is_fork; // else the end
    uint32_t pid, tid, parent_pid, parent_tid;
  };

  // `recorder`: `first` is the recorder, which runs the program as its child and is not part of it.
  ProcessEvents(pid_t first, bool recorder) : first_(first), is_recorder_(recorder) {}

  // The kind of a record that the caller must act on.
  enum class News { none, thread, mapping };
  News take(const uint8_t *record, size_t bytes);
  // To be called after the last record: puts those of all processors in order of time.
  void finish();

  // True for the program, and for processes that it started.
  bool is_ours(uint32_t pid) const {
    return is_recorder_ ? pid != (uint32_t)first_ && processes_.contains(pid)
                        : pid == (uint32_t)first_ || processes_.contains(pid);
  }
  // 0 until the program has begun.
  pid_t program() const { return is_recorder_ ? program_ : first_; }
  uint64_t begin_ns() const { return is_recorder_ ? begin_ns_ : 0; }

  const std::vector<Name> &names() const { return names_; }
  const std::vector<Change> &changes() const { return changes_; }
  // Number of records that found no room; number of records that are not kept because there are already a million.
  uint64_t lost() const { return lost_; }
  uint64_t passed_over() const { return passed_over_; }

private:
  void take_name(const uint8_t *record, size_t bytes, bool is_exec);
  void take_change(const uint8_t *record, size_t bytes, bool is_fork);

  pid_t first_;
  bool is_recorder_;
  pid_t program_ = 0;
  uint64_t begin_ns_ = 0, lost_ = 0, passed_over_ = 0;
  std::unordered_set<uint32_t> processes_;
  std::vector<Name> names_;
  std::vector<Change> changes_;
};

} // namespace dprof
