// Stage: what-if. Makes a list of allocations and frees with the allocator of this process, whichever it is, and says
// where each block is: standard input has operations, standard output gets an address for each. The process itself
// allocates nothing, so that a block lies where it lies in a program that makes these calls and no others.
//
// The thread of each operation makes it; the others wait. Threads are started at their first operation, and end where
// the list says so: allocators hand out again what a thread had for itself.
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

// What standard input has, one behind the other. `block` numbers the blocks, below the number that is the first
// argument.
struct operation {
  uint32_t kind;
  uint32_t thread; // 0: the first of the process
  uint64_t block;
  uint64_t size;
  uint64_t other; // ALIGNED: the alignment; REALLOC: the block that is moved
};
enum kind { MALLOC = 1, CALLOC = 2, REALLOC = 3, ALIGNED = 4, FREE = 5, THREAD_END = 6 };

enum { MOST_THREADS = 1 << 16, AT_ONCE = 1 << 12 };

static void **blocks;
static uint64_t block_count;
static struct operation operations[AT_ONCE];
static uint64_t addresses[AT_ONCE];
static uint32_t at, count; // the operation at hand; how many there are
static uint32_t done;      // 1: the turn is the first thread's again
static uint32_t *turn;     // by thread; 1: it is that thread's
enum state { UNSTARTED, RUNS, IS_TO_END };
static uint8_t *states;    // by thread
static pthread_t *threads; // by the same

static void wait_while(uint32_t *word, uint32_t value) { syscall(SYS_futex, word, FUTEX_WAIT, value, 0, 0, 0); }
static void wake(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, 1, 0, 0, 0); }

static void fail(int status) { _exit(status); }

static uint64_t make(const struct operation *of) {
  void *block = 0;
  if (of->block >= block_count) fail(3);
  switch (of->kind) {
    case MALLOC: block = malloc(of->size); break;
    case CALLOC: block = calloc(1, of->size); break;
    case REALLOC:
      if (of->other >= block_count) fail(3);
      block = realloc(blocks[of->other], of->size);
      blocks[of->other] = 0;
      break;
    case ALIGNED:
      if (posix_memalign(&block, of->other < sizeof(void *) ? sizeof(void *) : of->other, of->size)) fail(4);
      break;
    case FREE:
      free(blocks[of->block]);
      blocks[of->block] = 0;
      return 0;
    default: fail(3);
  }
  if (!block && of->size) fail(4);
  blocks[of->block] = block;
  return (uint64_t)block;
}

static void wait_for(uint32_t *word) {
  while (!__atomic_load_n(word, __ATOMIC_ACQUIRE)) wait_while(word, 0);
  __atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

static void hand_to(uint32_t *word) {
  __atomic_store_n(word, 1, __ATOMIC_RELEASE);
  wake(word);
}

// Makes operations as long as the next one is of the same thread, which does not end there.
static void make_own(uint32_t thread) {
  for (;; at++) {
    addresses[at] = make(&operations[at]);
    if (at + 1 == count || operations[at + 1].thread != thread || operations[at + 1].kind == THREAD_END) return;
  }
}

static void *run(void *number) {
  const uint32_t own = (uint32_t)(uintptr_t)number;
  for (;;) {
    wait_for(&turn[own]);
    if (states[own] == IS_TO_END) return 0;
    make_own(own);
    hand_to(&done);
  }
}

static void end(uint32_t thread) {
  addresses[at] = 0;
  if (thread == 0 || thread >= MOST_THREADS || states[thread] == UNSTARTED) return;
  states[thread] = IS_TO_END;
  hand_to(&turn[thread]);
  if (pthread_join(threads[thread], 0)) fail(4);
  states[thread] = UNSTARTED;
}

static void take(uint32_t thread) {
  if (operations[at].kind == THREAD_END) return end(thread);
  if (thread >= MOST_THREADS) fail(3);
  if (thread == 0) return make_own(0);
  hand_to(&turn[thread]);
  if (states[thread] == UNSTARTED && pthread_create(&threads[thread], 0, run, (void *)(uintptr_t)thread)) fail(4);
  states[thread] = RUNS;
  wait_for(&done);
}

static void *memory(uint64_t bytes) {
  void *at = mmap(0, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) fail(4);
  return at;
}

// Whole operations, at most AT_ONCE; 0 at the end.
static uint32_t read_operations(void) {
  size_t have = 0;
  while (have < sizeof operations) {
    ssize_t got = read(0, (char *)operations + have, sizeof operations - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(5);
    if (got == 0) break;
    have += (size_t)got;
  }
  if (have % sizeof operations[0]) fail(3);
  return (uint32_t)(have / sizeof operations[0]);
}

static void write_addresses(void) {
  const size_t bytes = count * sizeof addresses[0];
  for (size_t written = 0; written < bytes;) {
    ssize_t put = write(1, (char *)addresses + written, bytes - written);
    if (put < 0 && errno != EINTR) fail(5);
    if (put > 0) written += (size_t)put;
  }
}

// Exits with 0; 2: no number of blocks; 3: an operation that is none; 4: no memory; 5: input or output fails.
int main(int argc, char **argv) {
  if (argc != 2) return 2;
  // The same list gives the same addresses. Where randomisation cannot be switched off, blocks still lie alike.
  const int persona = personality(0xffffffff);
  if (persona != -1 && !(persona & ADDR_NO_RANDOMIZE) && personality((unsigned long)persona | ADDR_NO_RANDOMIZE) != -1)
    execv("/proc/self/exe", argv);
  block_count = 0;
  for (const char *digit = argv[1]; *digit; digit++) {
    if (*digit < '0' || *digit > '9' || block_count > UINT64_MAX / 1000) return 2;
    block_count = block_count * 10 + (uint64_t)(*digit - '0');
  }
  blocks = (void **)memory(block_count * sizeof *blocks);
  states = memory(MOST_THREADS);
  threads = (pthread_t *)memory(MOST_THREADS * sizeof *threads);
  turn = memory(MOST_THREADS * sizeof *turn);
  while ((count = read_operations())) {
    for (at = 0; at < count; at++) take(operations[at].thread);
    write_addresses();
  }
  _exit(0);
}
