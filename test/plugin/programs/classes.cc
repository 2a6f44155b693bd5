// C++ spells types with their namespaces; a base class's fields are fields of the class that the program names.
namespace ns {
struct Base {
  int id = 1;
  virtual ~Base() {}
};
class Node : public Base {
public:
  long key = 2;
  Node *next = nullptr;
};
template <class T> struct Box {
  T value;
  int count;
};
namespace {
struct Hidden {
  volatile int x;
};
}
}

static ns::Hidden hidden;

__attribute__((noinline)) void set(ns::Node *n, ns::Box<double> &box, ns::Box<int> *boxes, int i) {
  n->id = 3;           // store 4 ns::Node .id @8
  n->next->key = 4;    // load 8 ns::Node .next @24; store 8 ns::Node .key @16
  box.value = 2.5;     // store 8 ns::Box<double> .value
  boxes[i].count = 5;  // store 4 ns::Box<int> .count @4
  hidden.x = 6;        // store 4 ns::(anonymous namespace)::Hidden .x var=hidden
}

struct Owner {
  ns::Node first, second;
  int used;
  void use() { used = 7; }  // store 4 Owner .used @64
};

int main() {
  static Owner owner;
  static ns::Box<double> box;
  static ns::Box<int> boxes[3];
  owner.first.next = &owner.second; // store 8 Owner .first.next @24 var=owner
  owner.use();
  set(&owner.first, box, boxes, 1);
  return hidden.x - 6; // load 4 ns::(anonymous namespace)::Hidden .x var=hidden
}
