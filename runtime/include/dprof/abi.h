// Stage: instrumented program -> runtime. Every symbol that instrumented code or another process may rely on.
//
// Instrumented code, per path through a region (unit_format.h):
//   cursor = __dprof_thread.cursor; if (cursor + 1 + words > __dprof_thread.limit) cursor = __dprof_refill(1 + words);
//       with the words of the longest path
//   cursor[1 + i] = each logged address, stored just before its access
//   cursor[0] = address of the region + number of the path   (after the last access's address: this store makes the
//   path visible)
//   __dprof_thread.cursor = cursor + 1 + words of this path
// Buffers are zero before use, so a reader that finds a zero header word has reached the end of what is whole.
// A path that a signal, exception or longjmp cuts short was never visible.
#ifndef DPROF_ABI_H
#define DPROF_ABI_H

#include "unit_format.h"

#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define DPROF_PRESERVE_MOST __attribute__((preserve_most))
#else
#define DPROF_PRESERVE_MOST
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct dprof_thread_cursor {
  uint64_t *cursor;
  uint64_t *limit; // soft: the runtime moves it on to take a stamp at least every 1,000 slots (250 words,
                   // DPROF_SLOTS_PER_WORD)
};

extern __thread struct dprof_thread_cursor __dprof_thread __attribute__((tls_model("initial-exec")));

// Returns a cursor with room for `words` words (header word included) and has stored it in __dprof_thread.cursor.
// Called with the preserve_most convention so that the hot path spills nothing. Bind it eagerly (IR attribute
// nonlazybind, or -z now): the dynamic linker's lazy resolver destroys r10, which preserve_most promises to keep.
DPROF_PRESERVE_MOST uint64_t *__dprof_refill(uint64_t words);

// The time stamp counter of the moment, strictly greater than this thread's last one; ordered after earlier loads and
// before later stores. preserve_most too.
DPROF_PRESERVE_MOST uint64_t __dprof_stamp(void);

// How many bytes a string function is about to look at: with the byte that ends it, at most `limit` (all ones: none).
enum dprof_measure {
  DPROF_MEASURE_STRING = 1,         // of the string a, with its end
  DPROF_MEASURE_BEHIND_STRING = 2,  // what of the limit that leaves
  DPROF_MEASURE_STRING_AND_END = 3, // of at most `limit` characters of it, and one more
  DPROF_MEASURE_UNTIL = 4,          // up to the character b
  DPROF_MEASURE_UNTIL_OR_END = 5,   // or the string's end
  DPROF_MEASURE_COMMON = 6,         // up to the first difference of the strings a and b, or their end
  DPROF_MEASURE_COMMON_FOLDED = 7,  // as strcasecmp sees them
  DPROF_MEASURE_COMMON_BYTES = 8,   // as memcmp does
  DPROF_MEASURE_SPAN = 9,           // up to a character that is not in the string b
  DPROF_MEASURE_OTHER_SPAN = 10,    // that is in it
  DPROF_MEASURE_SEARCH = 11         // up to the end of the first b in a
};
uint64_t __dprof_measure(uint32_t how, const void *a, const void *b, uint64_t limit);

// One per linked object (executable or shared library), passed by its constructor. The version is in the name: a
// program linked against another runtime fails to link instead of recording nonsense.
struct dprof_module {
  const void *units_begin, *units_end;
  const struct dprof_global *globals_begin, *globals_end;
  // Per unit: calls `visit` with each of its thread-locals, at the calling thread's address.
  void (*const *thread_locals_begin)(void (*visit)(const struct dprof_variable *variable, void *address));
  void (*const *thread_locals_end)(void (*visit)(const struct dprof_variable *variable, void *address));
  // Set to 1 while this process records. Functions look at it on entry: 0 runs the uninstrumented body.
  uint8_t *active;
};
void __dprof_register_module_v1(const struct dprof_module *module);
void __dprof_unregister_module_v1(const struct dprof_module *module);

#ifdef __cplusplus
}
#endif

// Words that the runtime itself puts in the stream: header = DPROF_EVENT | code | words << 8 | detail << 16.
#define DPROF_EVENT 0x8000000000000000ull
#define DPROF_EVENT_HEADER(code, words, detail)                                                                        \
  (DPROF_EVENT | (uint64_t)(code) | (uint64_t)(words) << 8 | (uint64_t)(detail) << 16)

// Every kind of event, once: KIND(name, code, fields), and of each field, in order, FIELD(encoding, name, when). From
// it follow the codes, the recorder's check and encoding of logged words (event_writer.cc), the engine's reader
// (engine/trace/event.cpp), and, compared by a test, src/trace/event-table.ts.
//
// Encodings: what is logged -> what stands in the events column (docs/trace-format.md).
//   STAMP    a stamp -> what it is more than the stamp before
//   ADDRESS  an address -> what it is more than the last one of an event of this kind
//   NUMBER   a number -> the same; INDEX: of a thread or a CPU
//   POINTER  an address -> the same
//   END      the end of what begins at the address before -> how many bytes that are
//   UNIT, VARIABLE  one word: a variable's description -> its unit, and its number in that
//   TEXT     how many bytes, then 8 in a word, the last filled up with zeros -> how many, and these
// `when`: only events with this detail have the field.
#define DPROF_EVENT_ANY (-1)
#define DPROF_EVENTS(KIND, FIELD)                                                                                      \
  KIND(TIME, 1, FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(INDEX, cpu, DPROF_EVENT_ANY))                               \
  /* detail: dprof_allocator. An acquire on the range */                                                               \
  KIND(ALLOCATE, 2,                                                                                                    \
       FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_EVENT_ANY)                                   \
           FIELD(NUMBER, size, DPROF_EVENT_ANY) FIELD(POINTER, pool, DPROF_ALLOCATOR_PART))                            \
  /* detail: dprof_allocator; size 0: the object's. A release; of a POOL none */                                       \
  KIND(FREE, 3,                                                                                                        \
       FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_EVENT_ANY)                                   \
           FIELD(NUMBER, size, DPROF_EVENT_ANY))                                                                       \
  /* of the object at the address; detail: dprof_sync. BOTH is not logged: atomics with a result have it in chunks */  \
  KIND(RELEASE, 4, FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_EVENT_ANY))                      \
  KIND(ACQUIRE, 5, FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_EVENT_ANY))                      \
  KIND(BOTH, 6, FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_EVENT_ANY))                         \
  /* with its stack. An acquire on the creation and on the range */                                                    \
  KIND(THREAD_START, 7,                                                                                                \
       FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(INDEX, creator, DPROF_EVENT_ANY)                                     \
           FIELD(ADDRESS, address, DPROF_EVENT_ANY) FIELD(END, size, DPROF_EVENT_ANY))                                 \
  /* with its stack. A release on the thread and on the range */                                                       \
  KIND(THREAD_END, 8,                                                                                                  \
       FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_EVENT_ANY)                                   \
           FIELD(END, size, DPROF_EVENT_ANY))                                                                          \
  /* a system call that blocked returned */                                                                            \
  KIND(BLOCKED, 9, FIELD(STAMP, stamp, DPROF_EVENT_ANY))                                                               \
  /* detail: dprof_unseen */                                                                                           \
  KIND(UNSEEN, 10, FIELD(NUMBER, size, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_UNSEEN_KERNEL_RANGE))            \
  /* so many paths were cut short */                                                                                   \
  KIND(LOST, 11, FIELD(NUMBER, number, DPROF_EVENT_ANY))                                                               \
  KIND(THREAD_LOCAL, 12,                                                                                               \
       FIELD(UNIT, unit, DPROF_EVENT_ANY) FIELD(VARIABLE, variable, DPROF_EVENT_ANY)                                   \
           FIELD(ADDRESS, address, DPROF_EVENT_ANY))                                                                   \
  /* the signal's number; detail: 1 handler entered, 0 left */                                                         \
  KIND(SIGNAL, 13, FIELD(NUMBER, number, DPROF_EVENT_ANY))                                                             \
  /* detail: dprof_mark_kind */                                                                                        \
  KIND(MARK, 14,                                                                                                       \
       FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(NUMBER, number, DPROF_EVENT_ANY) FIELD(TEXT, text, DPROF_EVENT_ANY))

enum dprof_event_code {
#define DPROF_EVENT_CODE(name, code, fields) DPROF_EVENT_##name = code,
#define DPROF_EVENT_NO_FIELD(encoding, name, when)
  DPROF_EVENTS(DPROF_EVENT_CODE, DPROF_EVENT_NO_FIELD)
#undef DPROF_EVENT_CODE
#undef DPROF_EVENT_NO_FIELD
  // stamp, address, bytes, device, inode, offset; detail: dprof_mapping_kind. Never in an EVENTS chunk (see
  // trace_format.h), so its code needs no place among the sixteen of those that are.
  DPROF_EVENT_MAPPING = 16
};
#define DPROF_MAPPING_WORDS 6u

enum dprof_mapping_kind {
  DPROF_MAPPING_NONE = 0, // nothing shared is there any more
  DPROF_MAPPING_FILE = 1, // a file, also one without a name: memfd, /dev/shm, anonymous shared memory
  DPROF_MAPPING_SYSV = 2  // a System V segment, whose inode is its number
};

enum dprof_mark_kind {
  DPROF_MARK_PHASE = 1,  // the program says what it does now
  DPROF_MARK_CLOSED = 2, // a window ends: from here on this process records no references; the text says why
  DPROF_MARK_OPENED = 3, // a window begins
  DPROF_MARK_DROPPED =
      4 // value: words of paths that this thread had logged while no window was open, and that were thrown away
};
#define DPROF_MARK_TEXT_BYTES 120u /* at most; longer ones are cut */

enum dprof_allocator {        // also the family a free must match
  DPROF_ALLOCATOR_MALLOC = 1, // malloc, strdup ...
  DPROF_ALLOCATOR_CALLOC = 2,
  DPROF_ALLOCATOR_REALLOC = 3,
  DPROF_ALLOCATOR_ALIGNED = 4, // aligned_alloc, posix_memalign, memalign, valloc
  DPROF_ALLOCATOR_NEW = 5,
  DPROF_ALLOCATOR_MMAP = 6, // mmap, mremap, munmap
  DPROF_ALLOCATOR_PART = 7, // an allocator of the program's own, out of memory that it has
  DPROF_ALLOCATOR_POOL = 8  // FREE only: the address is a pool, all whose parts go back at once
};

enum dprof_sync {
  DPROF_SYNC_MUTEX = 1,
  DPROF_SYNC_RWLOCK = 2,
  DPROF_SYNC_CONDITION = 3,
  DPROF_SYNC_BARRIER = 4, // object: its address; + 1 in every second generation, where the process knows its threads
  DPROF_SYNC_THREAD_CREATE = 5, // object: the new thread's number
  DPROF_SYNC_THREAD_JOIN = 6,   // object: the joined thread's number
  DPROF_SYNC_SEMAPHORE = 7,
  DPROF_SYNC_FILE = 8, // pipe, socket, eventfd: object is device << 32 ^ inode
  DPROF_SYNC_ATOMIC = 9,
  DPROF_SYNC_SPINLOCK = 10,
  DPROF_SYNC_ONCE = 11,
  DPROF_SYNC_PROCESS = 12 // a process that ends, and the wait for it: object is its id
};

enum dprof_unseen {
  DPROF_UNSEEN_CALLOC = 1,      // zeroed by libc
  DPROF_UNSEEN_REALLOC = 2,     // copied by libc
  DPROF_UNSEEN_KERNEL = 3,      // written into user buffers by a system call, nobody knows where
  DPROF_UNSEEN_KERNEL_RANGE = 4 // the same, at a known address
};

#endif
