// Stage: sampler. Records of threads, processes and mappings -> who is the program's, what threads are called, which
// begin and end.
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

  // `recorder`: `first` runs the program as its child, and is none of it.
  ProcessEvents(pid_t first, bool recorder) : first_(first), is_recorder_(recorder) {}

  // What it was, that the caller does something about.
  enum class News { none, thread, mapping };
  News take(const uint8_t *record, size_t bytes);
  // Behind the last record: in order of time, of all processors.
  void finish();

  // Of the program, or of a process that it started.
  bool is_ours(uint32_t pid) const {
    return is_recorder_ ? pid != (uint32_t)first_ && processes_.contains(pid)
                        : pid == (uint32_t)first_ || processes_.contains(pid);
  }
  // 0 until it has begun.
  pid_t program() const { return is_recorder_ ? program_ : first_; }
  uint64_t begin_ns() const { return is_recorder_ ? begin_ns_ : 0; }

  const std::vector<Name> &names() const { return names_; }
  const std::vector<Change> &changes() const { return changes_; }
  // Records that found no room, and what is not kept since there are a million.
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
