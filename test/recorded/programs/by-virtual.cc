// Described member functions that are virtual, and that throw.
#include <cstddef>
#include <new>
namespace shop {
struct Memory {
  virtual void *take(std::size_t size) = 0;
};
struct Area final : Memory {
  char block[4096];
  std::size_t used = 0;
  void *take(std::size_t size) override {
    if (size > sizeof block - used) throw std::bad_alloc();
    used += size;
    return block + used - size;
  }
};
struct Heap final : Memory {
  void *take(std::size_t size) override { return ::operator new(size); }
};
struct Door {
  virtual void acquire() = 0;
  virtual void release() = 0;
};
struct Lock final : Door {
  volatile bool held = false;
  void acquire() override { held = true; }
  void release() override { held = false; }
};
struct Open final : Door {
  void acquire() override {}
  void release() override {}
};
struct Item {
  Item *next;
  long key;
};
} // namespace shop

static volatile bool others;
static shop::Area area;
static shop::Heap heap;
static shop::Lock lock;
static shop::Open open;

static shop::Item *make(shop::Memory &memory, shop::Item *next) {
  auto *item = new (memory.take(sizeof(shop::Item))) shop::Item;
  item->next = next;
  item->key = 1;
  return item;
}

int main() {
  shop::Memory &memory = others ? static_cast<shop::Memory &>(heap) : area;
  shop::Door &door = others ? static_cast<shop::Door &>(open) : lock;
  shop::Item *list = nullptr;
  for (int i = 0; i < 5; i++) {
    door.acquire();
    list = make(memory, list);
    door.release();
  }
  try {
    memory.take(5000);
  } catch (const std::bad_alloc &) {
    list->key++;
  }
  list->next = static_cast<shop::Item *>(area.take(48)); // by name
  return 0;
}
