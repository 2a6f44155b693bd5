// Stage: replay -> shard. Stages on as many threads as are allowed, as replay.cpp has them.
#include "replay/shard_replay.h"

#include "layout/reference_stream.h"
#include "layout/window_borders.h"
#include "order/ordered_stream.h"
#include "replay/pipeline.h"

namespace dprof {

ShardReplay::ShardReplay(const Input &input, const std::string &path, const std::string &header)
    : input_(input), plans_(makePlans(input)), file_(input.path), totalBytes_(input.chunkBytes()),
      caches_(input, plans_), writer_(path, header, input.machine, input.shard) {}

void ShardReplay::run() {
  const std::vector<uint32_t> numbers = input_.threadsWithSteps();
  isInWindow_ = input_.window.border[ReplayWindow::FROM].kind == Border::NONE ||
                WindowBorders(input_.window).positions()[ReplayWindow::FROM].reached;
  if (numbers.size() == 1 && input_.processes.empty()) {
    ReferenceStream stream(file_, plans_, input_, numbers[0], nullptr);
    runStages(stream, [&] { return stream.decodeAhead(); });
  } else if (!numbers.empty()) {
    OrderedStream stream(file_, plans_, input_, numbers);
    runStages(stream, {});
  }
  if (!isInWindow_) caches_.beginWindow(); // nothing lies in it
  caches_.eachOfCores([&](uint32_t core, uint32_t line, uint64_t address, const uint64_t *used) {
    writer_.hold(core, line, address, used);
  });
  writer_.finish(caches_.totals());
}

template <typename Stream> void ShardReplay::runStages(Stream &stream, const std::function<bool()> &ahead) {
  std::vector<Pipeline<ReferenceBatch>::Work> stages{
      Pipeline<ReferenceBatch>::holdErrors([&](ReferenceBatch &batch) { return stream.next(batch); }),
      [&](ReferenceBatch &batch) {
        caches_.lookUp(batch);
        return true;
      },
      [&](ReferenceBatch &batch) {
        writer_.add(batch);
        reportProgress(batch);
        return true;
      }};
  Pipeline<ReferenceBatch>(std::move(stages), input_.workers < 2 ? 1 : BATCHES, ahead).run(input_.workers);
  isInWindow_ |= stream.positions()[ReplayWindow::FROM].reached;
}

void ShardReplay::reportProgress(const ReferenceBatch &batch) const {
  if (!input_.progress) return;
  const auto done = static_cast<double>(batch.slots);
  input_.progress[0] = done;
  input_.progress[1] = batch.passed ? done * static_cast<double>(totalBytes_) / static_cast<double>(batch.passed) : 0;
}

} // namespace dprof
