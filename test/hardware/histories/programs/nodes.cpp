// operator new by a constructor and without one, delete; an allocator of the program's own; arrays.
#include <cstdio>
#include <cstdlib>

namespace ns {
class Node {
public:
  __attribute__((noinline)) explicit Node(long key) : key_(key), left_(nullptr) {} // stores 0 and 8
  __attribute__((noinline)) long key() const { return *(const volatile long *)&key_; } // load 0
private:
  long key_;
  Node *left_;
};
} // namespace ns

struct pair {
  volatile long first, second;
};

__attribute__((noinline)) void *xmalloc(std::size_t bytes) {
  void *p = std::malloc(bytes);
  if (!p) std::abort();
  return p;
}
__attribute__((noinline)) pair *make_pair_of(long n) {
  pair *p = static_cast<pair *>(xmalloc(sizeof(pair)));
  p->first = n;
  return p;
}

int main() {
  long sum = 0;
  for (long i = 0; i < 6; i++) {
    ns::Node *node = new ns::Node(i);
    sum += node->key();
    delete node;
    pair *p = make_pair_of(i);
    p->second = i;
    sum += p->first;
    std::free(p);
  }
  std::printf("%ld\n", sum);
}
