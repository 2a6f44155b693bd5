// A hash table whose buckets are guarded by sixteen locks; two threads add to every entry. The stripes lie close together, so
// a line holds parts of two of them.
#include <cstdio>
#include <mutex>
#include <pthread.h>

namespace cache {

constexpr long stripe_count = 16;
constexpr long buckets_per_stripe = 8;
constexpr long bucket_count = stripe_count * buckets_per_stripe;
constexpr long entries_per_bucket = 4;
constexpr long sweeps = 20;

struct Entry {
  Entry *next;
  long key;
  long value;
};

struct Stripe {
  std::mutex lock;
  long updates;
  Entry *buckets[buckets_per_stripe];
};

class Table {
public:
  void insert(long key) {
    Stripe &stripe = stripes[key % stripe_count];
    Entry *&bucket = stripe.buckets[key / stripe_count % buckets_per_stripe];
    bucket = new Entry{bucket, key, 0};
  }

  void add(long key, long amount) {
    Stripe &stripe = stripes[key % stripe_count];
    std::lock_guard<std::mutex> guard(stripe.lock);
    Entry *entry = stripe.buckets[key / stripe_count % buckets_per_stripe];
    while (entry->key != key)
      entry = entry->next;
    entry->value += amount;
    stripe.updates++;
  }

  long clear() {
    long sum = 0;
    for (Stripe &stripe : stripes)
      for (Entry *&bucket : stripe.buckets)
        while (Entry *entry = bucket) {
          sum += entry->value;
          bucket = entry->next;
          delete entry;
        }
    return sum;
  }

private:
  Stripe stripes[stripe_count];
};

Table table;

void *sweep(void *amount) {
  for (long round = 0; round < sweeps; round++)
    for (long key = 0; key < bucket_count * entries_per_bucket; key++)
      table.add(key, reinterpret_cast<long>(amount));
  return nullptr;
}

} // namespace cache

int main() {
  for (long key = 0; key < cache::bucket_count * cache::entries_per_bucket; key++)
    cache::table.insert(key);
  pthread_t first, second;
  pthread_create(&first, nullptr, cache::sweep, reinterpret_cast<void *>(1));
  pthread_create(&second, nullptr, cache::sweep, reinterpret_cast<void *>(100));
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
  std::printf("sum %ld\n", cache::table.clear());
  return 0;
}
