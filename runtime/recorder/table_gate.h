// Stage: recorder. Encoders read an image's table of paths while others encode; one that meets a new path enters it
// when none of them reads.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace dprof {

class TableGate {
public:
  // Waits for whoever wants to write, so that a reader which comes back at once does not keep it waiting.
  std::shared_lock<std::shared_mutex> read() {
    { std::lock_guard behind_writers(writers_); }
    return std::shared_lock(table_);
  }
  class Writing {
  public:
    explicit Writing(TableGate &gate) : turn_(gate.writers_), table_(gate.table_) {}

  private:
    std::lock_guard<std::mutex> turn_;
    std::lock_guard<std::shared_mutex> table_;
  };

private:
  std::mutex writers_;
  std::shared_mutex table_;
};

} // namespace dprof
