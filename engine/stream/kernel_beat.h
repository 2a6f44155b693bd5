// Stage: replay -> stream. Whoever watches over a kernel sees how far it is, and in which part.
#pragma once

#include "trace/input.h"

namespace dprof {

struct KernelBeat {
  /// KERNEL_PARTS of src/kernel/kernel-process.ts.
  enum Part : uint8_t { NONE, BATCH, END, RUN };
  explicit KernelBeat(const Input &input) : input_(input) {}
  void in(Part part) const {
    if (!input_.progress) return;
    input_.progress[0] = static_cast<double>(counted);
    input_.progress[1] = part;
  }
  uint64_t counted = 0; // rows

private:
  const Input &input_;
};

} // namespace dprof
