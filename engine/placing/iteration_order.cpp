// Stage: placing. What a step does to rows, and where they go.
#include "placing/iteration_order.h"

namespace dprof {

void IterationOrder::step(const RecordPlan &plan, const uint64_t *recorded, const PlacedStep &placed,
                          const Event *stamp) {
  constexpr int32_t OTHER = LoopChanges::OTHER, FIXED = LoopChanges::FIXED;
  const int32_t tile = changes_.tileOf[static_cast<size_t>(&plan - plans_.records.data())];
  if (tile == FIXED || (tile != OTHER && tile != tile_)) flush();
  if (tile == FIXED || (tile == OTHER && held_.size() == 0)) {
    placed.writeTo(file_.thread(thread_), stamp);
    return;
  }
  if (tile != OTHER && stretchEnd_ != held_.size()) endStretch(held_.size());
  const size_t at = held_.size();
  held_.push(plan, recorded, placed.record, placed.words);
  if (tile != OTHER) {
    tile_ = tile;
    breaks_.extend(held_, at, at == stretch_);
    stretchEnd_ = at + 1;
  }
  if (held_.size() >= MOST_HELD) flush();
}

void IterationOrder::event(const Event &event) {
  if (event.code == DPROF_EVENT_TIME && held_.size() > 0) {
    times_.push_back({held_.size(), event});
    return;
  }
  flush();
  file_.thread(thread_).event(event);
}

void IterationOrder::flush() {
  endStretch(held_.size());
  endMatrix();
  drop(held_.size());
}

/// It becomes rows; steps up to `end` follow the last one.
void IterationOrder::endStretch(size_t end) {
  if (stretch_ < stretchEnd_) {
    const std::vector<size_t> &begins = breaks_.rows(stretchEnd_);
    for (size_t i = 0; i < begins.size(); i++) {
      const bool isLast = i + 1 == begins.size();
      addRow({begins[i], (isLast ? stretchEnd_ : begins[i + 1]) - begins[i], isLast ? end : begins[i + 1]});
    }
  }
  breaks_.begin();
  stretch_ = stretchEnd_ = end;
  drop(rows_.empty() ? end : rows_[0].first);
}

void IterationOrder::addRow(const Row &row) {
  if (!rows_.empty()) {
    const HeldStep &from = held_[rows_.back().first], &to = held_[row.first];
    bool isAlike = from.plan == to.plan && rows_.back().count == row.count;
    if (isAlike) {
      held_.distance(from, to, next_);
      isAlike = !hasDistance_ || next_ == distance_;
    }
    if (isAlike) {
      distance_ = next_;
      hasDistance_ = true;
    } else {
      endMatrix();
    }
  }
  rows_.push_back(row);
}

/// Its steps go on, tile by tile.
void IterationOrder::endMatrix() {
  if (rows_.empty()) return;
  const size_t first = rows_[0].first, end = rows_.back().end;
  const bool isMatrix = rows_.size() > 1 && rows_[0].count > 1;
  if (isMatrix) {
    tiled();
    checkDependences(first, end);
    moved += rows_.size() * rows_[0].count;
  }
  for (size_t at = first; at < end; at++) {
    passTimes(at);
    const HeldStep &step = held_[isMatrix ? order_[at - first] : at];
    file_.thread(thread_).path(step.placed, held_.words(step), step.words, nullptr);
  }
  passTimes(end);
  rows_.clear();
  hasDistance_ = false;
}

/// Held steps in their new order: of each tile its iterations, one tile after the other; then what followed its rows.
void IterationOrder::tiled() {
  const auto tile = static_cast<size_t>(tile_);
  const size_t height = changes_.rows[tile], width = changes_.columns[tile], count = rows_[0].count;
  order_.clear();
  for (size_t top = 0; top < rows_.size(); top += height) {
    const size_t bottom = std::min(rows_.size(), top + height);
    for (size_t left = 0; left < count; left += width)
      for (size_t row = top; row < bottom; row++)
        for (size_t column = left; column < std::min(count, left + width); column++)
          order_.push_back(rows_[row].first + column);
    for (size_t row = top; row < bottom; row++)
      for (size_t at = rows_[row].first + count; at < rows_[row].end; at++) order_.push_back(at);
  }
}

void IterationOrder::checkDependences(size_t first, size_t end) {
  places_.resize(order_.size());
  for (size_t place = 0; place < order_.size(); place++) places_[order_[place] - first] = static_cast<uint32_t>(place);
  const uint32_t broken = dependences_.broken(held_, first, end, places_);
  if (broken != NO_INDEX) throw DependenceError(broken);
}

void IterationOrder::passTimes(size_t at) {
  for (; !times_.empty() && times_.front().behind <= at; times_.pop_front())
    file_.thread(thread_).event(times_.front().event);
}

/// The first steps, which went on.
void IterationOrder::drop(size_t count) {
  if (count == 0) return;
  held_.drop(count);
  stretch_ -= count;
  stretchEnd_ -= count;
  for (Row &row : rows_) {
    row.first -= count;
    row.end -= count;
  }
  for (Time &time : times_) time.behind -= count;
}

} // namespace dprof
