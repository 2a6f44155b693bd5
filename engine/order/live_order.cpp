// Stage: trace -> replay, while the program runs. The questions of an order of several threads to the trace's reader.
#include "order/ordered_stream.h"
#include "trace/live_source.h"

namespace dprof {

bool OrderedStream::isOpen() const { return isLive() && !source_.input.live->isOver(); }

bool OrderedStream::learn() {
  stopped_ = !source_.input.live->learn();
  for (auto number = static_cast<uint32_t>(threads_.size()); number < source_.input.threads.size(); number++)
    threads_.push_back(
        std::make_unique<ThreadRun>(source_, number, source_.input.cpus.begin(number, source_.input.machine.cores)));
  return !stopped_;
}

std::vector<uint32_t> OrderedStream::takeArrived() { return source_.input.live->takeArrived(); }
std::vector<uint32_t> OrderedStream::takeGrown() { return source_.input.live->takeGrown(); }

bool OrderedStream::giveUpOrphan() {
  source_.input.live->giveUp(LiveSource::Stop::THREAD);
  return false;
}

bool OrderedStream::giveUpOrder() {
  source_.input.live->giveUp(LiveSource::Stop::AGAIN);
  return false;
}

} // namespace dprof
