// Stage: stream -> Arrow.
#include "stream/arrow_references.h"

#include <cerrno>

namespace dprof {

int ArrowReferences::readBy(const dprof_arrow_kernel_functions &kernel, FILE *answer) {
  ArrowArrayStream stream{getSchema, getNext, getLastError, release, this};
  beat_.in(KernelBeat::RUN);
  const int failed = kernel.run(&stream, answer);
  beat_.in(KernelBeat::NONE);
  if (error_) std::rethrow_exception(error_);
  return failed;
}

int ArrowReferences::getSchema(ArrowArrayStream *stream, ArrowSchema *out) {
  *out = of(stream).columns_.schema();
  return 0;
}

int ArrowReferences::getNext(ArrowArrayStream *stream, ArrowArray *out) {
  ArrowReferences &references = of(stream);
  references.beat_.in(KernelBeat::NONE);
  *out = {};
  try {
    if (std::optional<FedRows> rows = references.feed_.next()) {
      references.beat_.counted += rows->rows.count();
      *out = references.columns_.array(std::move(*rows));
    }
  } catch (const std::exception &error) {
    references.error_ = std::current_exception();
    references.said_ = error.what();
  }
  references.beat_.in(KernelBeat::RUN);
  return references.error_ ? EIO : 0;
}

const char *ArrowReferences::getLastError(ArrowArrayStream *stream) {
  const ArrowReferences &references = of(stream);
  return references.error_ ? references.said_.c_str() : nullptr;
}

} // namespace dprof
