// Stage: sampler. Objects of at most a page are in a list of the page that they begin in; larger ones in an ordered
// map.
#include "object_map.h"

#include <algorithm>

namespace dprof {
namespace {

constexpr uint64_t page_bytes = 4096;

uint64_t page_of(uint64_t address) { return address / page_bytes; }

template <typename Page> auto behind(Page &page, uint64_t offset) {
  return std::upper_bound(page.begin(), page.end(), offset,
                          [](uint64_t at, const auto &start) { return at < start.offset; });
}

} // namespace

uint32_t ObjectMap::add(const LiveObject &object) {
  uint32_t number;
  if (free_.empty()) {
    number = (uint32_t)objects_.size();
    objects_.push_back(object);
  } else {
    number = free_.back();
    free_.pop_back();
    objects_[number] = object;
  }
  Layered &layer = layers_[(int)object.layer];
  if (object.bytes > page_bytes) {
    layer.large[object.address] = number;
    return number;
  }
  Page &page = layer.pages[page_of(object.address)];
  const uint16_t offset = (uint16_t)(object.address % page_bytes);
  if (page.empty() || page.back().offset < offset)
    page.push_back({offset, number});
  else
    page.insert(behind(page, offset), {offset, number});
  return number;
}

void ObjectMap::remove(uint32_t number) {
  LiveObject &object = objects_[number];
  Layered &layer = layers_[(int)object.layer];
  if (object.bytes > page_bytes) {
    layer.large.erase(object.address);
  } else {
    Page &page = layer.pages[page_of(object.address)];
    auto at = behind(page, object.address % page_bytes);
    if (at != page.begin()) page.erase(at - 1);
  }
  object.bytes = 0;
  object.address = ~0ull; // holds nothing
  free_.push_back(number);
}

uint32_t ObjectMap::starting_at(Layer layer, uint64_t address) const {
  const uint32_t number = find_in(layers_[(int)layer], address);
  return number != no_object && objects_[number].address == address ? number : no_object;
}

uint32_t ObjectMap::find_in(const Layered &layer, uint64_t address) const {
  for (uint64_t back = 0; back < 2; back++) {
    auto found = layer.pages.find(page_of(address) - back);
    if (found == layer.pages.end() || found->second.empty()) continue;
    const Page &page = found->second;
    auto at = back ? page.end() : behind(page, address % page_bytes);
    if (at == page.begin()) continue;
    if (holds((at - 1)->number, address)) return (at - 1)->number;
    break;
  }
  auto large = layer.large.upper_bound(address);
  if (large == layer.large.begin()) return no_object;
  --large;
  return holds(large->second, address) ? large->second : no_object;
}

uint32_t ObjectMap::find(uint64_t address) const {
  for (int layer = layers - 1; layer >= 0; layer--) {
    const uint32_t number = find_in(layers_[layer], address);
    if (number != no_object) return number;
  }
  return no_object;
}

void ObjectMap::find_overlapped(Layer of, uint64_t address, uint64_t bytes, std::vector<uint32_t> *found) const {
  const Layered &layer = layers_[(int)of];
  const uint64_t end = address + (bytes ? bytes : 1);
  const uint32_t first = find_in(layer, address);
  if (first != no_object) found->push_back(first);
  auto add_page = [&](const Page &page, uint64_t base) {
    for (auto at = base < address ? behind(page, address - base) : page.begin();
         at != page.end() && base + at->offset < end; at++)
      if (at->number != first) found->push_back(at->number);
  };
  const uint64_t first_page = page_of(address), last_page = page_of(end - 1);
  if (last_page - first_page < layer.pages.size()) {
    for (uint64_t number = first_page; number <= last_page; number++) {
      auto page = layer.pages.find(number);
      if (page != layer.pages.end()) add_page(page->second, number * page_bytes);
    }
  } else {
    for (const auto &[number, page] : layer.pages)
      if (number >= first_page && number <= last_page) add_page(page, number * page_bytes);
  }
  for (auto large = layer.large.upper_bound(address); large != layer.large.end() && large->first < end; large++)
    found->push_back(large->second);
}

bool ObjectMap::was_used(uint64_t address) const {
  for (const Layered &layer : layers_)
    if (layer.pages.contains(page_of(address))) return true;
  return false;
}

std::vector<uint32_t> ObjectMap::numbers() const {
  std::vector<bool> is_free(objects_.size());
  for (uint32_t number : free_) is_free[number] = true;
  std::vector<uint32_t> all;
  for (uint32_t number = 0; number < objects_.size(); number++)
    if (!is_free[number]) all.push_back(number);
  return all;
}

void ObjectMap::clear() { *this = {}; }

} // namespace dprof
