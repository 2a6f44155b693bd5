// Stage: recorder. A bounded queue with threads at its end. The first one writes, and packs what nobody else does.
#include "chunk_writer.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "encoder_crew.h"
#include "live_trace.h"

namespace dprof {
namespace {

// The program and the encoder, which it waits for, go first where there are only two processors; when too much is
// waiting here, they wait.
constexpr int niceness = 10;

} // namespace

ChunkWriter::~ChunkWriter() {
  if (threads_.empty()) return;
  settle();
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  for (std::thread &thread : threads_) thread.join();
}

size_t ChunkWriter::most_waiting() const { return 2 + 2 * std::max<size_t>(threads_.size(), 1); }

// Chunks of one thread of the program one after the other: how the last one was packed says how the next one is.
ChunkWriter::Waiting *ChunkWriter::next_to_pack() {
  for (auto waiting = jobs_.begin(); waiting != jobs_.end(); ++waiting) {
    auto holds_up = [&](const Waiting &earlier) {
      return earlier.state != State::packed && earlier.job.events->habit == waiting->job.events->habit;
    };
    if (waiting->state == State::unpacked && std::none_of(jobs_.begin(), waiting, holds_up)) return &*waiting;
  }
  return nullptr;
}

// Another one is of use once chunks of two threads are there to be packed.
void ChunkWriter::start_threads() {
  auto is_packing = [](const Waiting &waiting) { return waiting.state == State::packing; };
  const bool useful = threads_.empty() || (threads_.size() < most_ && idle_ == 0 && next_to_pack() &&
                                           std::any_of(jobs_.begin(), jobs_.end(), is_packing));
  if (!useful) return;
  try {
    threads_.push_back(start_without_signals([this, writes = threads_.empty()] { run(writes); }));
  } catch (const std::system_error &) { // no room for another one
    if (threads_.empty()) throw;
    most_ = (unsigned)threads_.size();
  }
}

void ChunkWriter::put(ChunkJob job) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.size() < most_waiting(); });
  const bool packs = job.events && !job.events->raw;
  jobs_.push_back({std::move(job), packs ? State::unpacked : State::packed});
  start_threads();
  changed_.notify_all();
}

std::unique_ptr<EventsChunk> ChunkWriter::spare() {
  std::lock_guard lock(mutex_);
  if (spares_.empty()) return std::make_unique<EventsChunk>();
  std::unique_ptr<EventsChunk> last = std::move(spares_.back());
  spares_.pop_back();
  return last;
}

void ChunkWriter::recycle(std::unique_ptr<EventsChunk> chunk) {
  if (chunk && spares_.size() < most_waiting() + 2) spares_.push_back(std::move(chunk));
}

bool ChunkWriter::is_full() {
  std::lock_guard lock(mutex_);
  return jobs_.size() >= most_waiting();
}

void ChunkWriter::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty(); });
}

void ChunkWriter::pack(Waiting &waiting, std::unique_lock<std::mutex> &lock) {
  waiting.state = State::packing;
  lock.unlock();
  waiting.job.events->pack(waiting.job.payload);
  lock.lock();
  waiting.state = State::packed;
  recycle(std::move(waiting.job.events));
}

void ChunkWriter::write_first(std::unique_lock<std::mutex> &lock) {
  ChunkJob &job = jobs_.front().job;
  lock.unlock();
  if (job.work)
    job.work();
  else if (job.events) // not packed: RAW, which only such a sink asks for
    static_cast<LiveTrace *>(job.sink)->write_raw(job.thread, job.sequence, *job.events);
  else
    job.sink->write_chunk(job.kind, job.thread, job.sequence, job.payload);
  lock.lock();
  recycle(std::move(job.events));
  jobs_.pop_front();
}

void ChunkWriter::run(bool writes) {
  setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), getpriority(PRIO_PROCESS, 0) + niceness);
  std::unique_lock lock(mutex_);
  while (true) {
    idle_++;
    changed_.wait(lock, [this, writes] { return over_ || (writes && may_write()) || next_to_pack(); });
    idle_--;
    if (over_) return;
    if (writes && may_write())
      write_first(lock);
    else
      pack(*next_to_pack(), lock);
    changed_.notify_all();
  }
}

} // namespace dprof
