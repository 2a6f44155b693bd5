// Stage: replay. Counts accesses by address. When the life of an address ends, its counts become rows or are dropped.
#include "counting/shared_addresses.h"

#include <algorithm>

#include "objects/leaves.h"

namespace dprof {

void SharedAddresses::begin(const ReferenceBatch &batch) {
  at_ = 0;
  nextThread_ = 0;
  odd_ = batch.odd.data();
  isOfSeveral_ |= batch.isOfSeveralThreads;
}

void SharedAddresses::passTo(const ReferenceBatch &batch, uint32_t end) {
  if (!lines_) return; // a thread for itself
  const OddAccess *const oddEnd = batch.odd.data() + batch.odd.size();
  for (; at_ < end; at_++) {
    while (nextThread_ < batch.threads.size() && batch.threads[nextThread_].reference <= at_)
      thread_ = batch.threads[nextThread_++].thread;
    const Reference &reference = batch.references[at_];
    uint32_t granule = reference.granule;
    if (odd_ < oddEnd && odd_->reference == at_) [[unlikely]] {
      const OddAccess &access = *odd_++;
      if (access.pieces == 0) continue;
      granule = batch.pieces[access.firstPiece];
    }
    if (lines_->isOfSeveral(granule >> granulesShift_)) access(thread_, granule, reference.address, reference.slot);
  }
}

void SharedAddresses::access(uint32_t thread, uint32_t granule, uint64_t address, uint32_t slot) {
  uint32_t live = objects_.find(granule, address), node = addresses_.find({address, live});
  if (node) {
    if (uint32_t count = counts_.find({node, slot, thread})) [[likely]] {
      counts_[count].count++;
      return;
    }
  }
  isFull |= counts_.size() == most_;
  if (!isFull) return add(address, live, node, slot, thread);
  uncounted++;
  if (node) giveUp(node);
}

void SharedAddresses::add(uint64_t address, uint32_t live, uint32_t node, uint32_t slot, uint32_t thread) {
  if (!node) {
    uint32_t &first = firstOf(live);
    first = node = addresses_.add({address, live, first, 0});
  }
  addresses_[node].firstCount = counts_.add({1, node, slot, thread, addresses_[node].firstCount});
}

/// There is no room for a further count, so the address could not stay exact: drops its counts.
void SharedAddresses::giveUp(uint32_t node) {
  for (uint32_t count = std::exchange(addresses_[node].firstCount, 0), next; count; count = next) {
    next = counts_[count].next;
    uncounted += counts_[count].count;
    counts_.remove(count);
  }
}

void SharedAddresses::endLife(uint32_t live) {
  if (live >= firstOf_.size()) return;
  for (uint32_t node = std::exchange(firstOf_[live], 0), next; node; node = next) {
    next = addresses_[node].next;
    settle(node);
  }
}

/// The counts of the address are final.
void SharedAddresses::settle(uint32_t node) {
  const Address of = addresses_[node];
  byThread_.clear();
  for (uint32_t count = of.firstCount; count; count = counts_[count].next)
    byThread_.push_back({counts_[count].thread, counts_[count].count});
  std::sort(byThread_.begin(), byThread_.end());
  size_t threads = 0;
  for (auto [thread, count] : byThread_) {
    if (threads && byThread_[threads - 1].first == thread)
      byThread_[threads - 1].second += count;
    else
      byThread_[threads++] = {thread, count};
  }
  byThread_.resize(threads);
  std::sort(byThread_.begin(), byThread_.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  const bool isKept = threads > 1 && byThread_[0].second < 2 * byThread_[1].second;
  shared += threads > 1;
  kept += isKept;
  LiveObject *object = of.live ? &objects_.at(of.live) : nullptr;
  for (uint32_t count = of.firstCount, next; count; count = next) {
    next = counts_[count].next;
    if (isKept) rows[row(counts_[count], object, of.address)].accesses += counts_[count].count;
    counts_.remove(count);
  }
  addresses_.remove(node);
}

uint32_t SharedAddresses::row(const Count &count, LiveObject *object, uint64_t address) {
  const SlotPlan &slot = plans_.slots[count.slot];
  const uint32_t label = labels_.ofReference(slot, object);
  uint32_t leaf = NO_INDEX;
  if (object && object->declared && label == object->declared) {
    uint32_t declared = input_.types.declared[slot.type];
    bool namesField = slot.hasPath && input_.types.isStruct[declared] && declared == object->declared;
    if (!namesField) leaf = referenceLeaf(input_, *object, address);
  }
  RowKey key{count.slot, label, leaf, object ? object->variable : slot.variable, count.thread};
  auto [found, isNew] = numbers_.try_emplace(key, static_cast<uint32_t>(rows.size()));
  if (isNew) rows.push_back({key.slot, key.label, key.leaf, key.variable, key.thread, 0});
  return found->second;
}

void SharedAddresses::finish() {
  for (uint32_t live = 0; live < firstOf_.size(); live++) endLife(live);
  if (!isOfSeveral_) restart(); // with whom to share
}

void SharedAddresses::restart() {
  addresses_.clear();
  counts_.clear();
  firstOf_.clear();
  rows.clear();
  numbers_.clear();
  shared = kept = uncounted = 0;
  isFull = false;
}

} // namespace dprof
