// What x86-64 and aarch64 have alike, and what differs: a va_list has 24 bytes on one and 32 on the other.
struct counters {
  _Atomic long hits;
  char name[16];
  int size;
};

long count(struct counters *all, int number, ...) {
  __builtin_va_list values, again;
  __builtin_va_start(values, number);
  __builtin_va_copy(again, values);
  all->hits++;
  all->size = number;
  __asm__("" : : : "memory");
  __builtin_va_end(again);
  __builtin_va_end(values);
  return all->size;
}
