// Stage: replay -> stream. A kernel in C (dprof/kernel.h): a library that counts rows as they are made, or takes them
// as Arrow's.
#pragma once

#include <string>
#include <vector>

#include "dprof/kernel.h"
#include "stream/kernel_column.h"
#include "stream/packed_columns.h"
#include "stream/reference_walk.h"

namespace dprof {

struct KernelAnswer {
  std::string text; // that the kernel prints
  int failed;       // what a kernel of Arrow's returned; 0: nothing
};

class NativeKernel {
public:
  /// InputError: it is no kernel, or of another version.
  explicit NativeKernel(const std::string &path);
  NativeKernel(const NativeKernel &) = delete;
  ~NativeKernel();
  std::vector<std::string> columnNames() const;
  bool isArrow() const { return arrow_; }
  KernelAnswer run(const Input &input, const ReferenceColumns &asked, const std::vector<PackedColumn> &packed,
                   const std::vector<KernelColumn> &columns) const;

private:
  void *library_;
  // One of them:
  const dprof_kernel_functions *kernel_ = nullptr;
  const dprof_arrow_kernel_functions *arrow_ = nullptr;
};

} // namespace dprof
