// Stage: replay -> stream. A kernel in C (dprof/kernel.h): a library that counts rows as they are made.
#pragma once

#include <string>
#include <vector>

#include "dprof/kernel.h"
#include "stream/packed_columns.h"
#include "stream/reference_walk.h"

namespace dprof {

/// A column of the kernel: one that is packed, or one that rows have as it is.
struct KernelColumn {
  std::string name;
  std::optional<size_t> packed;
  std::vector<std::string> words;
};

class NativeKernel {
public:
  /// InputError: it is no kernel, or of another version.
  explicit NativeKernel(const std::string &path);
  NativeKernel(const NativeKernel &) = delete;
  ~NativeKernel();
  std::vector<std::string> columnNames() const;
  /// Returns the text that the kernel prints in the end.
  std::string run(const Input &input, const ReferenceColumns &asked, const std::vector<PackedColumn> &packed,
                  const std::vector<KernelColumn> &columns) const;

private:
  void *library_;
  const dprof_kernel_functions *kernel_ = nullptr;
};

} // namespace dprof
