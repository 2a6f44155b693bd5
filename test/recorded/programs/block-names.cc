// Functions whose names the linker spells otherwise than the source: a member, a template, one local to its file.
namespace shop {
template <typename T> struct Basket {
  T items[100];
  __attribute__((noinline)) T total(int to) const {
    T sum = 0;
    for (int i = 0; i < to; i++) sum += items[i];
    return sum;
  }
};
} // namespace shop

static shop::Basket<long> basket;

__attribute__((noinline)) static long fill(long from) {
  for (long &item : basket.items) item = from++;
  return from;
}

int main(int count, char **) {
  long sum = fill(count);
  for (int i = 0; i < 100; i++) sum += basket.total(100);
  return sum == 0;
}
