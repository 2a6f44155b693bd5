// Stage: recorder. The turn that is next puts its chunks at once; others keep theirs until it is over.
#include "chunk_turns.h"

#include <utility>

namespace dprof {

void ChunkTurns::begin(size_t turn) {
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [this, turn] { return turn - next_ < most_ahead_; });
}

void ChunkTurns::put_waiting(size_t turn, std::unique_lock<std::mutex> &lock) {
  std::vector<ChunkJob> waiting = std::exchange(turns_[turn].waiting, {});
  lock.unlock();
  for (ChunkJob &job : waiting) writer_.put(std::move(job));
  lock.lock();
}

void ChunkTurns::put(size_t turn, ChunkJob job) {
  std::unique_lock lock(mutex_);
  turns_[turn].waiting.push_back(std::move(job));
  if (turn == next_) put_waiting(turn, lock);
}

// Only the thread of the turn that is next moves on, and hands on where it meets a turn that is under way.
void ChunkTurns::end(size_t turn) {
  std::unique_lock lock(mutex_);
  turns_[turn].over = true;
  if (turn != next_) return;
  while (next_ < turns_.size() && turns_[next_].over) {
    put_waiting(next_, lock);
    next_++;
    moved_.notify_all();
  }
}

} // namespace dprof
