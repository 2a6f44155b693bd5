// A coroutine's frame outlives the call that made it: prints the same with and without the plugin.
#include <coroutine>
#include <cstdio>
#include <exception>

struct Numbers {
  struct promise_type {
    int value = 0;
    Numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) { value = v; return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  ~Numbers() { handle.destroy(); }
};

static Numbers squares(int n) {
  int history[8] = {};
  for (int i = 0; i < n; i++) {
    history[i & 7] = i * i;
    co_yield history[i & 7] + history[(i + 7) & 7];
  }
}

int main() {
  Numbers numbers = squares(10);
  int sum = 0;
  while (numbers.handle.resume(), !numbers.handle.done()) sum += numbers.handle.promise().value;
  std::printf("%d\n", sum);
  return sum & 63;
}
