// Stage: sampler. Updates counts and integrals at each change. Each type has a reservoir (Vitter's algorithm R), so
// that every object has the same chance.
#include "type_table.h"

#include <algorithm>

namespace dprof {

void Lives::go_on_to(uint64_t time_ns) {
  if (time_ns <= changed_ns) return;
  object_ns += (double)objects * (double)(time_ns - changed_ns);
  byte_ns += (double)bytes * (double)(time_ns - changed_ns);
  changed_ns = time_ns;
}

TypeTable::TypeTable(uint64_t seed, uint32_t most_objects)
    : random_(seed ^ 0x6a09e667f3bcc909), most_objects_(most_objects) {
  rows_.push_back({{}, TypingRule::untyped, false});
}

// Sebastiano Vigna's SplitMix64.
uint64_t TypeTable::draw() {
  uint64_t x = random_ += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

uint32_t TypeTable::of_layout(const TypeLayout &layout, TypingRule rule) {
  auto [known, is_new] = known_[rule == TypingRule::variable].try_emplace({layout.name, layout.bytes}, size());
  if (is_new) rows_.push_back({layout, rule, rule == TypingRule::object});
  return known->second;
}

uint32_t TypeTable::of_site(const std::string &function, uint64_t bytes) {
  const std::string name = "heap-" + std::to_string(bytes) + "@" + (function.empty() ? "(unknown)" : function);
  auto [known, is_new] = known_sites_.try_emplace(name, size());
  if (is_new) rows_.push_back({{name, bytes, {}}, TypingRule::site, true});
  return known->second;
}

void TypeTable::begin(LiveObject *object, uint32_t allocated_at) {
  TypeRow &row = rows_[object->type];
  Lives &lives = row.lives;
  lives.go_on_to(object->born_ns);
  lives.allocations++;
  lives.objects++;
  lives.bytes += object->bytes;
  lives.peak_objects = std::max(lives.peak_objects, lives.objects);
  lives.peak_bytes = std::max(lives.peak_bytes, lives.bytes);
  const uint64_t number = row.drawn_from++;
  const uint64_t place = number < most_objects_ ? number : draw() % (number + 1);
  object->drawn = 0;
  if (place >= most_objects_) return;
  if (place == row.drawn.size()) row.drawn.emplace_back();
  row.drawn[place] = {
      object->address, object->bytes, object->born_ns, 0, object->thread, object->cpu, allocated_at, 0, 0};
  object->drawn = (uint32_t)place + 1;
}

void TypeTable::end(const LiveObject &object, uint64_t died_ns, uint32_t freed_at) {
  TypeRow &row = rows_[object.type];
  if (died_ns) {
    row.lives.go_on_to(died_ns);
    row.lives.frees++;
    row.lives.objects--;
    row.lives.bytes -= object.bytes;
  }
  if (object.samples) row.lives.sampled++;
  if (object.drawn == 0) return;
  DrawnObject &drawn = row.drawn[object.drawn - 1];
  if (drawn.address != object.address || drawn.born_ns != object.born_ns)
    return; // another one has been drawn in its place
  drawn.died_ns = died_ns;
  drawn.freed_at = freed_at;
  drawn.samples = object.samples;
}

void TypeTable::go_on_to(uint64_t time_ns) {
  for (TypeRow &row : rows_) row.lives.go_on_to(time_ns);
}

} // namespace dprof
