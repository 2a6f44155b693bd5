// Functions of the program's own under names that the C library and compiler-rt use for something else.
#pragma clang diagnostic ignored "-Wincompatible-library-redeclaration"
struct counter {
  int value;
} counter;

__attribute__((noinline)) void log(struct counter *of) { of->value++; }
__attribute__((noinline)) int round(struct counter *of, int by) { return of->value += by; }
__attribute__((noinline)) void __my_op2(struct counter *of) { of->value--; }

int main(void) {
  log(&counter);
  __my_op2(&counter);
  return round(&counter, 3) != 3;
}
