// Stage: replay. FIFO: the line that came first leaves, however often it was referenced since.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dprof {

class Fifo {
public:
  static constexpr const char *WORD = "fifo";
  Fifo(uint32_t sets, uint32_t ways, uint32_t /* seed */) : ways_(ways), times_(size_t{sets} * ways) {}
  static const char *refusal(uint32_t /* ways */) { return nullptr; }

  void touch(size_t /* first */, size_t /* frame */) {}
  void fill(size_t /* first */, size_t frame) { times_[frame] = ++now_; }
  size_t victim(size_t first) const {
    return static_cast<size_t>(std::min_element(&times_[first], &times_[first] + ways_) - times_.data());
  }

private:
  uint32_t ways_;
  uint64_t now_ = 0;
  std::vector<uint64_t> times_; // when the line came, by frame
};

} // namespace dprof
