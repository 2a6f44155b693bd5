// Stage: blocks. The monitor's side of the window: window.h says what lies where.
#pragma once

#include <stdint.h>
#include <string.h>

#include "window.h"

extern "C" {
extern const uint8_t dprof_harness[], dprof_harness_begin[], dprof_harness_ready[], dprof_harness_map[],
    dprof_harness_run[], dprof_harness_exit_logged[], dprof_harness_exit_timed[], dprof_harness_exit_counted[],
    dprof_harness_probe_timed[], dprof_harness_probe_counted[], dprof_harness_end[];
}

namespace dprof {

constexpr uint32_t gradual_underflow = 0x1f80; // MXCSR as it is when a program starts
constexpr uint32_t flush_to_zero = 0x8000, zero_subnormals = 0x0040;
constexpr uint32_t without_subnormals = gradual_underflow | flush_to_zero | zero_subnormals;

constexpr unsigned most_pages = 64; // that a block may touch: as many as the first level's TLB holds
constexpr size_t file_bytes = OWN_PAGES + most_pages * PAGE;

// Where a label of the harness is in the child.
inline uint64_t harness_address(const uint8_t *label) { return WINDOW + (uint64_t)(label - dprof_harness); }

class SharedWindow {
public:
  SharedWindow();
  ~SharedWindow();
  SharedWindow(const SharedWindow &) = delete;

  uint64_t desk(unsigned field) const {
    uint64_t value;
    memcpy(&value, bytes + DESK + field, sizeof value);
    return value;
  }
  void set_desk(unsigned field, uint64_t value) { memcpy(bytes + DESK + field, &value, sizeof value); }
  uint64_t logged(size_t slot) const {
    uint64_t value;
    memcpy(&value, bytes + LOG + slot * sizeof value, sizeof value);
    return value;
  }
  // Whatever a run left in pages of their own.
  void make_own_pages_new();
  // Of vector registers: `width` as in BlockInstruction.
  void set_state(int width, uint32_t mxcsr);

  int file = -1;
  uint8_t *bytes = nullptr;
  bool has_avx512 = false;
};

} // namespace dprof
