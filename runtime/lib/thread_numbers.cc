// Stage: runtime. pthread_t -> thread number.
#include "thread_numbers.h"

#include "memory.h"
#include "system.h"

namespace dprof {
namespace {

// pthread_t -> thread number. An entry is written by the creator before it tells the handle to anyone, and by the
// thread itself.
struct NumberTable {
  static constexpr size_t entries = 1 << 16;
  uintptr_t handle[entries];
  uint32_t number[entries];
};
NumberTable *numbers = nullptr;

size_t find_entry(uintptr_t handle, bool claim) {
  size_t at = (handle >> 6) * 0x9e3779b97f4a7c15 >> 48;
  for (size_t probe = 0; probe < 64; probe++, at = (at + 1) % NumberTable::entries) {
    uintptr_t found = load(&numbers->handle[at]);
    if (found == handle) return at;
    if (!found && !claim) break;
    if (!found && (swap_if<uintptr_t>(&numbers->handle[at], 0, handle) || load(&numbers->handle[at]) == handle))
      return at;
  }
  return NumberTable::entries;
}

} // namespace

void make_thread_numbers() { numbers = (NumberTable *)map_far_away(sizeof(NumberTable), -1); }

void remember_number(pthread_t thread, uint32_t number) {
  if (!numbers) return;
  size_t at = find_entry((uintptr_t)thread, true);
  if (at < NumberTable::entries) store(&numbers->number[at], number);
}

uint32_t number_of(pthread_t thread) {
  if (!numbers) return no_number;
  size_t at = find_entry((uintptr_t)thread, false);
  return at < NumberTable::entries ? load(&numbers->number[at]) : no_number;
}

} // namespace dprof
