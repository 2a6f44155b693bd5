#include <map>

struct Payload {
  long value;
};

int main() {
  std::map<int, Payload> map;
  for (int i = 0; i < 50; i++) map[i].value = i;
  long sum = 0;
  for (const auto &entry : map) sum += entry.second.value;
  return sum == 1225 ? 0 : 1;
}
