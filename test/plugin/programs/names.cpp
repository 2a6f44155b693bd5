#include <cstdint>
#include <map>
#include <memory>
#include <pthread.h>
#include <string>
#include <unordered_map>
#include <vector>
template <typename T, typename Less = std::less<T>> struct Ring { T slots[4]; Less less; };
template <typename... T> struct Pack { int first; };
template <int N, bool Fast = true> struct Sized { long words[N]; };
struct Shape { virtual ~Shape() = default; virtual int area() const = 0; int id = 1; };
struct Square : Shape { int side = 2; int area() const override { return side * side; } };
struct Round : Shape { int radius = 2; int area() const override { return radius * 3; } };
std::vector<int> ints;
std::vector<std::string> texts;
std::map<std::string, std::vector<const char *>> tree;
std::unordered_map<int, std::unique_ptr<Shape>> shapes;
std::wstring wide;
Ring<int> ring;
Ring<Ring<std::string>> rings;
Pack<int, std::string> pack;
Sized<8> sized;
uint64_t hits;
uint64_t table[16];
size_t length;
pthread_t threads[4];
typedef unsigned Flags;
Flags flags[8];
std::size_t stdsize;
uint8_t *bytes;
struct Counters { uint64_t hits; std::vector<int> list; pthread_t owner; } counters;
template <typename T> void fill(std::vector<T> &to, T value) { for (int i = 0; i < 4; i++) to.push_back(value); }
int main(int argc, char **) {
  fill(ints, 3); fill(texts, std::string("a long text that is not inline at all"));
  tree["x"].push_back("y");
  shapes[1] = std::make_unique<Square>(); shapes[2] = std::make_unique<Round>();
  long sum = 0;
  for (int n = 0; n < 10; n++) for (auto &[key, shape] : shapes) sum += shape->area();
  for (int i : ints) sum += i;
  for (auto &t : texts) sum += t.size();
  for (auto &w : threads) w = pthread_self();
  for (int i = 0; i < 16; i++) table[i] = i;
  for (int i = 0; i < 8; i++) flags[i] = i;
  bytes = new uint8_t[100]; for (int i = 0; i < 100; i++) bytes[i] = i;
  uint64_t *heap = new uint64_t[argc * 10]; for (int i = 0; i < 10; i++) heap[i] = i;
  wide = L"wide"; ring.slots[0] = 1; rings.slots[0].slots[0] = "z"; pack.first = 1; sized.words[3] = 1; hits = sum; length = 2; stdsize = 4;
  counters.hits++; counters.owner = pthread_self(); counters.list = ints;
  return 0;
}
