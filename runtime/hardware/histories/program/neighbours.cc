// Stage: program, preloaded. Two tables: the last object that begins in a line, and the last that ends in it. If two
// lines collide, the older entry is forgotten.
#include "neighbours.h"

namespace dprof {
namespace {

dprof_histories_object begins[DPROF_HISTORIES_NEIGHBOURS], ends[DPROF_HISTORIES_NEIGHBOURS];

uint64_t line_of(uint64_t address) { return address / line_bytes; }
uint64_t last_line_of(const dprof_histories_object &object) {
  return line_of(object.address + (object.bytes ? object.bytes - 1 : 0));
}
dprof_histories_object *place(dprof_histories_object *table, uint64_t line) {
  return &table[line % DPROF_HISTORIES_NEIGHBOURS];
}

bool touches(const dprof_histories_object &object, uint64_t line) {
  return object.address && line_of(object.address) <= line && line <= last_line_of(object);
}

} // namespace

void remember_object(const dprof_histories_object &object) {
  *place(begins, line_of(object.address)) = object;
  *place(ends, last_line_of(object)) = object;
}

void forget_object(uint64_t address) {
  dprof_histories_object *begin = place(begins, line_of(address));
  if (begin->address !=
      address) { // an object that began behind it in this line has its place: it is still where it ends
    for (uint64_t line = line_of(address); line <= line_of(address) + 1; line++)
      if (place(ends, line)->address == address) *place(ends, line) = {};
    return;
  }
  dprof_histories_object *end = place(ends, last_line_of(*begin));
  if (end->address == address) *end = {};
  *begin = {};
}

bool find_neighbour(const dprof_histories_object &object, dprof_histories_object *neighbour) {
  const uint64_t lines[2] = {line_of(object.address), last_line_of(object)};
  dprof_histories_object *const tables[2] = {begins, ends};
  for (uint64_t line : lines) {
    for (dprof_histories_object *table : tables) {
      const dprof_histories_object &found = *place(table, line);
      if (!touches(found, line) || found.address == object.address) continue;
      *neighbour = found;
      return true;
    }
  }
  return false;
}

} // namespace dprof
