// Stage: trace -> replay. Numbers by address, in order, as a map from addresses to them would be. Neighbours lie side
// by side in runs of up to RUN numbers; the run that was used last is found without a search, because what is allocated
// or freed next mostly lies beside it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace dprof {

class AddressMap {
  static constexpr unsigned RUN = 64;
  struct Run {
    uint64_t addresses[RUN];
    uint32_t numbers[RUN];
    unsigned count = 0;
  };
  using Runs = std::map<uint64_t, Run>; // by the lowest address that may be in it; that of the first run is 0

public:
  /// An entry, or the end. A change of the map leaves none valid but the one that it returns.
  class Place {
  public:
    uint64_t address() const { return run_->second.addresses[at_]; }
    uint32_t number() const { return run_->second.numbers[at_]; }
    bool operator==(const Place &) const = default;
    Place &operator++() {
      at_++;
      return skip();
    }

  private:
    friend AddressMap;
    Place(Runs::iterator run, unsigned at, Runs::iterator end) : run_(run), end_(end), at_(at) {}
    /// From behind the last of a run to the next entry.
    Place &skip() {
      while (run_ != end_ && at_ == run_->second.count) ++run_, at_ = 0;
      return *this;
    }
    Runs::iterator run_, end_;
    unsigned at_;
  };

  AddressMap() { runs_.emplace(0, Run{}); }
  AddressMap(const AddressMap &) = delete; // places and `used_` are of one
  bool isEmpty() const { return count_ == 0; }
  Place end() { return {runs_.end(), 0, runs_.end()}; }
  /// The first entry at the address or above it.
  Place from(uint64_t address) {
    const auto run = runOf(address);
    return Place(run, firstFrom(run->second, address), runs_.end()).skip();
  }
  /// The entry at the address or the last one below it; the end if there is none.
  Place upTo(uint64_t address) {
    auto run = runOf(address);
    unsigned behind = firstFrom(run->second, address);
    if (behind < run->second.count && run->second.addresses[behind] == address) behind++;
    while (behind == 0) {
      if (run == runs_.begin()) return end();
      behind = (--run)->second.count;
    }
    return {run, behind - 1, runs_.end()};
  }
  /// The number at exactly that address, 0 for none.
  uint32_t at(uint64_t address) {
    const Run &run = runOf(address)->second;
    const unsigned at = firstFrom(run, address);
    return at < run.count && run.addresses[at] == address ? run.numbers[at] : 0;
  }
  /// No entry is at the address yet.
  void add(uint64_t address, uint32_t number) {
    auto run = runOf(address);
    if (run->second.count == RUN) run = split(run, address);
    Run &into = run->second;
    const unsigned at = firstFrom(into, address);
    std::copy_backward(into.addresses + at, into.addresses + into.count, into.addresses + into.count + 1);
    std::copy_backward(into.numbers + at, into.numbers + into.count, into.numbers + into.count + 1);
    into.addresses[at] = address;
    into.numbers[at] = number;
    into.count++;
    count_++;
  }
  /// Returns the next entry.
  Place remove(Place place) {
    Run &from = place.run_->second;
    std::copy(from.addresses + place.at_ + 1, from.addresses + from.count, from.addresses + place.at_);
    std::copy(from.numbers + place.at_ + 1, from.numbers + from.count, from.numbers + place.at_);
    count_--;
    if (--from.count || place.run_ == runs_.begin()) return place.skip();
    used_ = runs_.begin();
    place.run_ = runs_.erase(place.run_);
    place.at_ = 0;
    return place.skip();
  }
  /// The entry at exactly that address, if there is one.
  void remove(uint64_t address) {
    const Place place = from(address);
    if (place != end() && place.address() == address) remove(place);
  }

private:
  Runs::iterator runOf(uint64_t address) {
    const auto next = std::next(used_);
    if (address >= used_->first && (next == runs_.end() || address < next->first)) return used_;
    return used_ = std::prev(runs_.upper_bound(address));
  }
  static unsigned firstFrom(const Run &run, uint64_t address) {
    return static_cast<unsigned>(std::lower_bound(run.addresses, run.addresses + run.count, address) - run.addresses);
  }
  /// Makes room in a full run; returns the one that the address belongs to.
  Runs::iterator split(Runs::iterator run, uint64_t address) {
    Run &full = run->second;
    // Addresses that only grow leave full runs behind them.
    const unsigned kept = address > full.addresses[RUN - 1] ? RUN : RUN / 2;
    const uint64_t begin = kept == RUN ? address : full.addresses[kept];
    const auto made = runs_.emplace_hint(std::next(run), begin, Run{});
    Run &upper = made->second;
    upper.count = RUN - kept;
    std::copy(full.addresses + kept, full.addresses + RUN, upper.addresses);
    std::copy(full.numbers + kept, full.numbers + RUN, upper.numbers);
    full.count = kept;
    return used_ = address < begin ? run : made;
  }

  Runs runs_;
  Runs::iterator used_ = runs_.begin();
  uint64_t count_ = 0;
};

} // namespace dprof
