// Stage: placing -> replay. Steps of many threads, in any order between threads, to a file that a replay reads: chunks
// as a trace has them, and the directory of where they are. src/what-if/steps-file.ts is the same.
#pragma once

#include "base/temporary_file.h"
#include "placing/step_encoder.h"

namespace dprof {

class StepsFile {
public:
  StepsFile(const std::string &folder, size_t threads, uint32_t loops) : file_(folder) {
    threads_.reserve(threads);
    for (size_t thread = 0; thread < threads; thread++) threads_.push_back({StepEncoder(loops), {}});
  }
  struct Thread {
    std::vector<double> offset;
    std::vector<uint32_t> bytes;
  };
  /// What takes the thread's next step.
  StepEncoder &thread(uint32_t number) {
    Own &own = threads_[number];
    if (own.encoder.bytes() >= CHUNK_BYTES) [[unlikely]]
      flush(own);
    return own.encoder;
  }
  /// No more steps come. The caller closes the descriptor.
  int finish() {
    for (Own &own : threads_) flush(own);
    return file_.release();
  }
  size_t threads() const { return threads_.size(); }
  const Thread &chunks(size_t thread) const { return threads_[thread].chunks; }

private:
  static constexpr size_t CHUNK_BYTES = 1 << 20;
  struct Own {
    StepEncoder encoder;
    Thread chunks;
  };
  void flush(Own &own) {
    if (own.encoder.steps() == 0) return;
    own.encoder.takeChunk(payload_);
    file_.write(end_, payload_.data(), payload_.size());
    own.chunks.offset.push_back(static_cast<double>(end_));
    own.chunks.bytes.push_back(static_cast<uint32_t>(payload_.size()));
    end_ += payload_.size();
  }

  std::vector<Own> threads_;
  TemporaryFile file_;
  uint64_t end_ = 0;
  std::vector<uint8_t> payload_;
};

} // namespace dprof
