#include <threads.h>
struct handed { volatile long value; volatile long answer; };
_Alignas(64) struct handed handed;
static mtx_t lock;
static int work(void *nothing) {
  (void)nothing;
  mtx_lock(&lock);
  handed.answer = handed.value + 1;
  mtx_unlock(&lock);
  return 7;
}
int main(void) {
  mtx_init(&lock, mtx_plain);
  for (volatile int i = 0; i < 3000; i++) {}
  handed.value = 41;
  thrd_t thread;
  int status = 0;
  thrd_create(&thread, work, 0);
  thrd_join(thread, &status);
  return status == 7 && handed.answer == 42 ? 0 : 1;
}
