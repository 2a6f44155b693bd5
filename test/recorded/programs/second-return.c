// A function that returns twice without being called: what is logged between its returns must not be written over.
int a, b, c, d;
void *buffer[5];

__attribute__((noinline)) void leave(void) {
  b++;
  __builtin_longjmp(buffer, 1);
}

__attribute__((noinline)) void enter(void) {
  a = 1;
  if (__builtin_setjmp(buffer)) {
    d = 5;
    return;
  }
  c++;
  leave();
}

int main(void) {
  enter();
  return 0;
}
