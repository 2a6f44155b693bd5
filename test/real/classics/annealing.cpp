// Annealing of a netlist: two random elements are swapped if their wires get shorter, which takes the places of all
// their neighbours. An element is 128 bytes of which a neighbour needs 8. Fix: places in an array of their own.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int ELEMENTS = 40000, SWAPS = 150000, WIRES = 5;

static uint32_t draw() {
  static uint32_t state = 2463534242;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

struct place {
  int x, y;
};

struct element {
  char name[72];
  int fanin[WIRES];
  int fanout;
  place present;
};

static std::vector<element> elements(ELEMENTS);
#ifdef FIXED
static std::vector<place> places(ELEMENTS);
static place &place_of(int i) { return places[i]; }
#else
static place &place_of(int i) { return elements[i].present; }
#endif
static std::vector<int> wires(ELEMENTS *WIRES);

static int cost(int which, place at) {
  int sum = 0;
  for (int wire = 0; wire < WIRES; wire++) {
    const place other = place_of(wires[which * WIRES + wire]); // the finding
    sum += std::abs(at.x - other.x) + std::abs(at.y - other.y);
  }
  return sum;
}

int main() {
  for (int i = 0; i < ELEMENTS; i++) {
    place_of(i) = {i % 200, i / 200};
    for (int wire = 0; wire < WIRES; wire++) wires[i * WIRES + wire] = draw() % ELEMENTS;
  }
  int swapped = 0;
  for (int i = 0; i < SWAPS; i++) {
    const int a = draw() % ELEMENTS, b = draw() % ELEMENTS;
    const place of_a = place_of(a), of_b = place_of(b);
    if (cost(a, of_b) + cost(b, of_a) < cost(a, of_a) + cost(b, of_b)) {
      place_of(a) = of_b;
      place_of(b) = of_a;
      swapped++;
    }
  }
  std::printf("%d\n", swapped);
}
