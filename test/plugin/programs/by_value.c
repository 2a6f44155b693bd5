// A struct passed by value is loaded before the call and stored where the callee is entered; va_list is written by va_start and va_copy.
// Behind each line: its events, in order.
#include <stdarg.h>

struct big { long key; long rest[24]; };
struct small { long left, right; };
struct big made;
volatile long wanted = 4;

__attribute__((noinline)) void ignored(struct big b) { __asm__ volatile(""); } // store 200 struct big local=b

__attribute__((noinline)) long both(struct big a, struct big b) { // store 200 struct big local=a; store 200 struct big local=b
  return a.key +   // load 8 struct big .key local=a
         b.rest[1]; // load 8 struct big .rest[] @16 local=b
}

__attribute__((noinline)) long inRegisters(struct small s) { return s.left + s.right; }

__attribute__((noinline)) long sum(int count, ...) {
  va_list list, copy;
  va_start(list, count);      // store 24 struct __va_list_tag local=list
  va_copy(copy, list);        // copy-load 24 struct __va_list_tag local=list; copy-store 24 struct __va_list_tag local=copy
  long total = 0;
  total += va_arg(copy, struct big).key;
  va_end(list);
  va_end(copy);
  return total;
}

int main() {
  made.key = wanted;         // load 8 long var=wanted; store 8 struct big .key var=made
  ignored(made);             // load 200 struct big var=made
  long total = both(made, made); // load 200 struct big var=made; load 200 struct big var=made
  struct small few = {1, 2};
  total += inRegisters(few);
  total += sum(1, made);     // load 200 struct big var=made
  return total == 11 ? 0 : 1;
}
