// Stage: recorder. Seats are announced and concluded by the first thread alone, which owns all that is not of one seat.
#include "drain.h"

namespace dprof {
namespace {

// A seat has at most four buffers to take at a time. What they become waits here until the seats before have written
// theirs.
constexpr size_t turns_per_encoder = 2;

} // namespace

bool Drain::run(const std::vector<Image *> &images) {
  bool any = false;
  visits_.clear();
  for (Image *image : images) {
    const size_t own = visits_.size();
    any |= image->announce(visits_);
    if (!image->is_for_one()) continue;
    for (size_t i = own; i < visits_.size(); i++) {
      image->take(visits_[i]);
      image->conclude(visits_[i]);
    }
    visits_.resize(own);
  }
  ChunkTurns turns(writer_, visits_.size(), turns_per_encoder * crew_.most());
  crew_.run(visits_.size(), [&](size_t i) {
    turns.begin(i);
    visits_[i].image->take(visits_[i], &turns, i);
    turns.end(i);
  });
  for (const Image::Visit &visit : visits_) visit.image->conclude(visit);
  return any;
}

} // namespace dprof
