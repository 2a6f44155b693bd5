// Four threads, each counting in a field of its own on one line.
#include <thread>
#include <vector>

struct Counters {
  long a, b, c, d;
};
alignas(64) Counters counters;

static void count(volatile long *field) {
  for (int i = 0; i < 20000; i++) ++*field;
}

int main() {
  std::vector<std::thread> threads;
  for (long *field : {&counters.a, &counters.b, &counters.c, &counters.d}) threads.emplace_back(count, field);
  for (std::thread &thread : threads) thread.join();
}
