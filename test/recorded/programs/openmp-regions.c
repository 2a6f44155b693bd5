// What OpenMP orders, and nothing else does: each value that a thread loads is the last one stored before.
#include <omp.h>
#include <stdio.h>

enum { N = 120 };

struct cell {
  long value;
  long by;
};
static struct cell cells[N];   // fork, join, barriers
static struct cell chunks[N];  // dynamic and guided loops
static struct cell large[N];   // copied by a task
static struct {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  long under_lock, under_nest, under_critical, under_named, in_order[N], single, section[2], in_chain, tasks_done;
} shared;
static long sums[N], doubled[N], grid[N][4];

struct wide {
  long a, b;
};
#pragma omp declare reduction(plus : struct wide : omp_out.a += omp_in.a, omp_out.b += omp_in.b)                       \
    initializer(omp_priv = (struct wide){0, 0})

static void fork_and_barriers(void) {
  for (int i = 0; i < N; i++) cells[i].value = i;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++) cells[i].by = cells[N - 1 - i].value;
#pragma omp for
    for (int i = 0; i < N; i++) cells[i].value += cells[N - 1 - i].by;
#pragma omp barrier
#pragma omp for nowait
    for (int i = 0; i < N; i++) sums[i] = cells[N - 1 - i].value;
  }
  for (int i = 0; i < N; i++) sums[i] += cells[i].by;
}

static void handed_out(void) {
#pragma omp parallel for schedule(dynamic, 7) // 18 chunks
  for (int i = 0; i < N; i++) chunks[i].value = i;
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < N; i++) chunks[i].by = chunks[N - 1 - i].value;
}

static void locked(void) {
#pragma omp parallel
  for (int i = 0; i < 5; i++) {
#pragma omp critical
    shared.under_critical++;
#pragma omp critical(named)
    shared.under_named++;
    omp_set_lock(&shared.lock);
    shared.under_lock++;
    omp_unset_lock(&shared.lock);
    omp_set_nest_lock(&shared.nest);
    shared.under_nest++;
    omp_unset_nest_lock(&shared.nest);
  }
}

static void in_order(void) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 1; i < N; i++) {
#pragma omp ordered
    shared.in_order[i] = shared.in_order[i - 1] + 1;
  }
#pragma omp parallel for ordered(1)
  for (int i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
    doubled[i] = doubled[i - 1] + 2;
#pragma omp ordered depend(source)
  }
}

static long shared_out(void) {
  long total = 0;
#pragma omp parallel reduction(+ : total)
  {
    long copied = 0;
#pragma omp single copyprivate(copied)
    copied = shared.single = shared.in_order[N - 1];
#pragma omp sections
    {
#pragma omp section
      shared.section[0] = copied;
#pragma omp section
      shared.section[1] = shared.single;
    }
    total += shared.section[0] + shared.section[1];
#pragma omp masked
    shared.single = 0;
  }
  return total;
}

static long fib(int n) {
  if (n < 2) return n;
  long x, y;
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

static void tasks(void) {
#pragma omp parallel
#pragma omp single
  {
    shared.tasks_done = fib(8);
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(out : shared.in_chain)
      shared.in_chain++;
#pragma omp task depend(in : shared.in_chain)
      sums[2 * i] = shared.in_chain;
#pragma omp task depend(in : shared.in_chain)
      sums[2 * i + 1] = shared.in_chain;
    }
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp task
        large[1].by = 5;
        large[0].by = 4;
      }
    }
    large[2].by = large[0].by + large[1].by;
#pragma omp taskloop grainsize(8)
    for (int i = 3; i < N; i++) large[i].by = large[2].by + i;
  }
  for (int i = 3; i < N; i++) sums[i] += large[i].by;
}

static long reduced(void) {
  struct wide all = {0, 0};
  long product = 1;
#pragma omp parallel for reduction(plus : all) reduction(* : product)
  for (int i = 0; i < N; i++) {
    all.a += sums[i];
    all.b += cells[i].by;
    product *= -1;
  }
  return all.a + all.b + product;
}

static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2)
  for (int row = 0; row < 4; row++) {
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < N; i++) grid[i][row] = row + i;
    long sum = 0;
    for (int i = 0; i < N; i++) sum += grid[i][row];
    sums[row] = sum;
  }
}

int main(void) {
  omp_init_lock(&shared.lock);
  omp_init_nest_lock(&shared.nest);
  fork_and_barriers();
  handed_out();
  locked();
  in_order();
  long shared_total = shared_out();
  tasks();
  long total = reduced();
  nested();
  int threads = omp_get_max_threads();
  printf("%ld %ld %ld %ld %ld\n", total, shared_total / threads, shared.under_critical / threads, shared.tasks_done,
         sums[3]);
}
