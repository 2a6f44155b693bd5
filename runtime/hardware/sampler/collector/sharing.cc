// Stage: sampler. One processor is kept, and whether there was another.
#include "sharing.h"

#include <algorithm>

namespace dprof {
namespace {
constexpr uint64_t line_bytes = 64;
}

void Sharing::add(LiveObject *object, uint64_t address, uint32_t cpu, bool is_store) {
  if (object->sharing == 0) {
    if (free_.empty()) {
      free_.push_back((uint32_t)objects_.size() + 1);
      objects_.emplace_back();
    }
    object->sharing = free_.back();
    free_.pop_back();
    objects_[object->sharing - 1] = {cpu};
  }
  Object &of = objects_[object->sharing - 1];
  of.has_two |= of.cpu != cpu;
  auto line = std::find_if(of.lines.begin(), of.lines.end(),
                           [&](const Line &known) { return known.number == address / line_bytes; });
  if (line == of.lines.end()) line = of.lines.insert(line, {address / line_bytes, cpu, false, false});
  line->has_two |= line->cpu != cpu;
  line->has_store |= is_store;
}

Sharing::Found Sharing::end(const LiveObject &object) {
  if (object.sharing == 0) return {};
  Object &of = objects_[object.sharing - 1];
  Found found = {of.has_two, std::any_of(of.lines.begin(), of.lines.end(),
                                         [](const Line &line) { return line.has_two && line.has_store; })};
  of = {};
  free_.push_back(object.sharing);
  return found;
}

} // namespace dprof
