// Stage: stream -> Arrow. The references of a run as a stream of Arrow's C stream interface, for a kernel that takes
// them one batch after the other.
#pragma once

#include <cstdio>

#include "dprof/kernel.h"
#include "stream/arrow_columns.h"
#include "stream/kernel_beat.h"

namespace dprof {

class ArrowReferences {
public:
  /// All are borrowed.
  ArrowReferences(const Input &input, const ReferenceColumns &asked, const std::vector<PackedColumn> &packed,
                  const std::vector<KernelColumn> &columns)
      : columns_(columns, packed), beat_(input), feed_(input, asked, packed) {}
  /// Returns what the kernel returns. The walk's error is thrown here, whatever the kernel made of it.
  int readBy(const dprof_arrow_kernel_functions &kernel, FILE *answer);

private:
  static ArrowReferences &of(ArrowArrayStream *stream) { return *static_cast<ArrowReferences *>(stream->private_data); }
  static int getSchema(ArrowArrayStream *stream, ArrowSchema *out);
  static int getNext(ArrowArrayStream *stream, ArrowArray *out);
  static const char *getLastError(ArrowArrayStream *stream);
  static void release(ArrowArrayStream *stream) { stream->release = nullptr; }

  const ArrowColumns columns_;
  KernelBeat beat_;
  std::exception_ptr error_;
  std::string said_; // of the error
  ReferenceFeed feed_;
};

} // namespace dprof
