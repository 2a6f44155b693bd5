// Stage: replay. Sorted runs of rows in a file, and their merge.
#include "objects/object_log.h"

#include <algorithm>
#include <cstring>
#include <queue>

#include "objects/object_lives.h"

namespace dprof {

constexpr size_t WRITE_WORDS = size_t{1} << 16;
constexpr size_t MERGE_BYTES = size_t{16} << 20, LEAST_READ_BYTES = 4096; // a row with all its counters is smaller

void ObjectLog::add(ObjectRow row, const ObjectCount *counts, size_t count) {
  row.counters = static_cast<uint8_t>(count);
  row.window = window_ & 15;
  if (mostRows_ && rows_ == mostRows_) sumUp();
  rows_++;
  if (!sums_) return append(row, counts);
  sums_->add(row, counts);
  if (!place_.folder.empty() && sums_->bytes() > place_.memoryBytes) appendSums();
}

void ObjectLog::sumUp() {
  ObjectSums sums(keepsPlaces_);
  take([&](const ObjectRow &row, const ObjectCount *counts) { sums.add(row, counts); });
  sums_ = std::move(sums);
}

void ObjectLog::appendSums() {
  sums_->drain([&](const ObjectRow &row, const ObjectCount *counts) { append(row, counts); });
}

void ObjectLog::append(const ObjectRow &row, const ObjectCount *counts) {
  const size_t count = row.counters;
  size_t at = words_.size();
  if (at > UINT32_MAX ||
      (!place_.folder.empty() && !words_.empty() &&
       (at + wordsOf(row)) * sizeof(uint64_t) + (entries_.size() + 1) * sizeof(Entry) > place_.memoryBytes)) {
    spill();
    at = 0;
  }
  words_.resize(at + wordsOf(row));
  std::memcpy(&words_[at], &row, sizeof row);
  if (count) std::memcpy(&words_[at + sizeof row / sizeof(uint64_t)], counts, count * sizeof *counts);
  entries_.push_back({row.number, static_cast<uint32_t>(at)});
}

ObjectLog ObjectLog::copy() const {
  ObjectLog copy(place_, mostRows_, keepsPlaces_);
  copy.sums_ = sums_;
  copy.words_ = words_;
  copy.entries_ = entries_;
  copy.file_ = file_.duplicate();
  copy.fileBytes_ = fileBytes_;
  copy.rows_ = rows_;
  copy.runs_ = runs_;
  copy.window_ = window_;
  return copy;
}

void ObjectLog::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry &a, const Entry &b) { return a.number < b.number; });
}

void ObjectLog::spill() {
  if (place_.folder.empty()) throw InputError("the program's objects are more than fit into memory");
  if (!file_.isOpen()) file_ = TemporaryFile(place_.folder);
  sort();
  Run run{fileBytes_, fileBytes_};
  std::vector<uint64_t> out;
  out.reserve(WRITE_WORDS + 1024);
  auto flush = [&] {
    file_.write(run.end, out.data(), out.size() * sizeof(uint64_t));
    run.end += out.size() * sizeof(uint64_t);
    out.clear();
  };
  for (const Entry &entry : entries_) {
    out.insert(out.end(), words_.begin() + entry.at,
               words_.begin() + static_cast<ptrdiff_t>(entry.at + wordsOf(rowAt(entry.at))));
    if (out.size() >= WRITE_WORDS) flush();
  }
  flush();
  fileBytes_ = run.end;
  runs_.push_back(run);
  words_.clear();
  entries_.clear();
}

void ObjectLog::drain(const Visit &use) {
  if (sums_) appendSums();
  firstOf_.clear();
  take([&](const ObjectRow &taken, const ObjectCount *counts) {
    ObjectRow row = taken;
    if (sums_) {
      row.number = static_cast<uint32_t>(firstOf_.size());
      firstOf_.push_back(taken.number);
    }
    if (row.window != window_) {
      row.lives = row.lifetime = row.references = row.counters = 0;
      row.flags &= OBJECT_IS_PART | OBJECT_IS_POOL;
    }
    use(row, counts);
  });
  rows_ = 0;
}

uint32_t ObjectLog::rowOf(uint32_t object) const {
  if (!sums_ || object == NO_INDEX) return object;
  const auto row = std::lower_bound(firstOf_.begin(), firstOf_.end(), sums_->rowOf(object));
  return static_cast<uint32_t>(row - firstOf_.begin());
}

void ObjectLog::take(const Visit &visit) {
  if (isSpilled()) {
    if (!entries_.empty()) spill();
    words_ = {};
    entries_ = {};
    merge(visit);
    file_ = {};
  } else {
    sort();
    for (const Entry &entry : entries_) visit(rowAt(entry.at), countsOf(rowAt(entry.at)));
    words_ = {};
    entries_ = {};
  }
  runs_.clear();
  fileBytes_ = 0;
}

/// The rows of a run, one after the other.
class ObjectLog::RunReader {
public:
  RunReader(const TemporaryFile &file, Run run, size_t bytes)
      : file_(file), next_(run.begin), end_(run.end), words_(bytes / sizeof(uint64_t)) {
    refill();
  }
  const ObjectRow *row() const { return at_ < have_ ? reinterpret_cast<const ObjectRow *>(&words_[at_]) : nullptr; }
  void pass() {
    at_ += wordsOf(*row());
    constexpr size_t HEAD = sizeof(ObjectRow) / sizeof(uint64_t);
    if (at_ + HEAD > have_ || at_ + wordsOf(*row()) > have_) refill();
  }

private:
  void refill() {
    size_t left = have_ - at_;
    std::copy(words_.begin() + static_cast<ptrdiff_t>(at_), words_.begin() + static_cast<ptrdiff_t>(have_),
              words_.begin());
    size_t more = std::min<size_t>(words_.size() - left, (end_ - next_) / sizeof(uint64_t));
    file_.read(next_, &words_[left], more * sizeof(uint64_t));
    next_ += more * sizeof(uint64_t);
    at_ = 0;
    have_ = left + more;
  }
  const TemporaryFile &file_;
  uint64_t next_, end_;
  std::vector<uint64_t> words_;
  size_t at_ = 0, have_ = 0;
};

void ObjectLog::merge(const Visit &visit) {
  size_t bytes = std::clamp(MERGE_BYTES / runs_.size(), LEAST_READ_BYTES, MERGE_BYTES) & ~size_t{7};
  std::vector<RunReader> readers;
  readers.reserve(runs_.size());
  using Next = std::pair<uint32_t, size_t>; // number, run
  std::priority_queue<Next, std::vector<Next>, std::greater<Next>> queue;
  for (const Run &run : runs_) {
    readers.emplace_back(file_, run, bytes);
    queue.push({readers.back().row()->number, readers.size() - 1});
  }
  while (!queue.empty()) {
    RunReader &reader = readers[queue.top().second];
    size_t run = queue.top().second;
    queue.pop();
    // Objects mostly end in about the order in which they began: a run goes on while no other is behind it.
    const ObjectRow *row = reader.row();
    while (row && (queue.empty() || row->number < queue.top().first)) {
      visit(*row, countsOf(*row));
      reader.pass();
      row = reader.row();
    }
    if (row) queue.push({row->number, run});
  }
}

} // namespace dprof
