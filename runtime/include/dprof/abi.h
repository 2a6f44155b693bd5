// Stage: instrumented program -> runtime. Every symbol that instrumented code or another process may rely on.
//
// For each path through a region (unit_format.h), instrumented code does this, where `longest` is the number of words
// of the region's longest path and `words` that of the path taken:
//
//   cursor = __dprof_thread.cursor;
//   if (cursor + 1 + longest > __dprof_thread.limit) cursor = __dprof_refill(1 + longest);
//   cursor[1 + i] = address;                    for each logged address, just before its access
//   cursor[0] = address of the region + number of the path;    last: this store makes the path visible
//   __dprof_thread.cursor = cursor + 1 + words;
//
// Buffers are zero before use, so a reader that finds a zero header word has reached the end of what is whole. A path
// that a signal, exception or longjmp cuts short was never visible.
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
  // Soft: the runtime moves the limit on, and takes a stamp whenever it does. So there is a stamp at least every 1,000
  // slots (250 words of DPROF_SLOTS_PER_WORD).
  uint64_t *limit;
};

extern __thread struct dprof_thread_cursor __dprof_thread __attribute__((tls_model("initial-exec")));

// Returns a cursor with room for `words` words (header word included) and has stored it in __dprof_thread.cursor.
// Called with the preserve_most convention so that the hot path spills nothing. Bind it eagerly (IR attribute
// nonlazybind, or -z now): the dynamic linker's lazy resolver destroys r10, which preserve_most promises to keep.
DPROF_PRESERVE_MOST uint64_t *__dprof_refill(uint64_t words);

// Returns the time stamp counter, strictly greater than this thread's last stamp. The counter is read after earlier
// loads and before later stores. Called with preserve_most too.
DPROF_PRESERVE_MOST uint64_t __dprof_stamp(void);

// Returns how many bytes a string function is about to look at, counting the byte that ends its search: at most `limit`
// characters (all ones: no limit). `how` says what it looks for. `wanted`: the bytes of b, where b is no string.
enum dprof_measure {
  DPROF_MEASURE_STRING = 1,         // the string a, with its end; null: none
  DPROF_MEASURE_BEHIND_STRING = 2,  // the rest of the limit behind the string a
  DPROF_MEASURE_STRING_AND_END = 3, // at most `limit` characters of the string a, and one more
  DPROF_MEASURE_UNTIL = 4,          // a, up to the character b
  DPROF_MEASURE_UNTIL_OR_END = 5,   // the string a, up to the character b or the string's end
  DPROF_MEASURE_COMMON = 6,         // the strings a and b, up to their first difference or their end
  DPROF_MEASURE_COMMON_FOLDED = 7,  // the same, with letters compared as strcasecmp does
  DPROF_MEASURE_COMMON_BYTES = 8,   // the bytes of a and b, up to their first difference, as memcmp does
  DPROF_MEASURE_SPAN = 9,           // the string a, up to a character that is not in the string b
  DPROF_MEASURE_OTHER_SPAN = 10,    // the string a, up to a character that is in the string b
  DPROF_MEASURE_SEARCH = 11,        // the string a, up to the end of the first b in it
  DPROF_MEASURE_SEARCH_FOLDED = 12, // the same, with letters compared as strcasecmp does
  DPROF_MEASURE_SEARCH_BYTES = 13,  // the bytes of a, up to the end of the first b in them
  DPROF_MEASURE_WANTED_BYTES = 14,  // the bytes of b, unless they are more than those of a
  DPROF_MEASURE_BEFORE_LAST = 15,   // what stands before the last character b in a; without one, 0
  DPROF_MEASURE_FROM_LAST = 16,     // the rest of a
  DPROF_MEASURE_LIMIT = 17,         // the limit
  DPROF_MEASURE_PAIRS = 18,         // the limit, without an odd byte; a negative one is none
  // strtok's kin. The text is a; if that is null, what `limit` points to; if `limit` is none, what strtok keeps. No
  // text: no bytes. Separators are the characters of the string b.
  DPROF_MEASURE_TOKEN_BEGIN = 19,  // the text's distance from a
  DPROF_MEASURE_TOKEN = 20,        // the text, up to the separator behind its first token, or its end
  DPROF_MEASURE_TOKEN_CUT = 21,    // the distance of that separator from a
  DPROF_MEASURE_TOKEN_CUTS = 22,   // its bytes; without one, 0
  DPROF_MEASURE_TOKEN_SET = 23,    // the string b, if there is a text
  DPROF_MEASURE_TOKEN_LOADS = 24,  // the bytes of a pointer, if a is null
  DPROF_MEASURE_TOKEN_STORES = 25, // the bytes of a pointer, if there is a text
  // Flags.
  DPROF_MEASURE_WIDE = 0x100,     // characters are of 4 bytes
  DPROF_MEASURE_SEPARATED = 0x200 // a token may be empty, as strsep's
};
uint64_t __dprof_measure(uint32_t how, const void *a, const void *b, uint64_t limit, uint64_t wanted);

// Each linked object (executable or shared library) passes one of these from its constructor. The function's name has
// the version in it, so a program linked against another runtime fails to link instead of recording nonsense.
struct dprof_module {
  const void *units_begin, *units_end;
  const struct dprof_global *globals_begin, *globals_end;
  // One function for each unit. It calls `visit` with each thread-local of the unit, at the calling thread's address.
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

// The table of every kind of event: KIND(name, code, fields), and for each field, in order, FIELD(encoding, name,
// when). The codes, the recorder's check and encoding of logged words (event_writer.cc) and the engine's reader
// (engine/trace/event.cpp) follow from it. A test compares it with src/trace/event-table.ts and docs/trace-format.md.
//
// An encoding says what is logged -> what stands in the events column (docs/trace-format.md):
//   STAMP    a stamp -> its difference to the stamp before
//   ADDRESS  an address -> its difference to the address in the last event of this kind
//   NUMBER   a number -> the same number
//   INDEX    the number of a thread or a CPU -> the same number
//   POINTER  an address -> the same address
//   END      the end of the memory that begins at the field before -> its size in bytes
//   UNIT, VARIABLE  one word for both, the address of a variable's description -> its unit, and its number in that unit
//   TEXT     the number of bytes, then 8 bytes in each word, the last filled up with zeros -> the number, and the bytes
// `when` is the detail with which an event has the field, or DPROF_EVENT_ANY.
#define DPROF_EVENT_ANY (-1)
#define DPROF_EVENTS(KIND, FIELD)                                                                                      \
  KIND(TIME, 1, FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(INDEX, cpu, DPROF_EVENT_ANY))                               \
  /* Memory was handed out, an acquire on its range. detail: dprof_allocator */                                        \
  KIND(ALLOCATE, 2,                                                                                                    \
       FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_EVENT_ANY)                                   \
           FIELD(NUMBER, size, DPROF_EVENT_ANY) FIELD(POINTER, pool, DPROF_ALLOCATOR_PART))                            \
  /* Memory is given back, a release on its range. size 0: the whole object. A POOL releases nothing. detail:          \
   * dprof_allocator */                                                                                                \
  KIND(FREE, 3,                                                                                                        \
       FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_EVENT_ANY)                                   \
           FIELD(NUMBER, size, DPROF_EVENT_ANY))                                                                       \
  /* Synchronisation on the object at the address. detail: dprof_sync. The runtime logs a BOTH of TEAM only; the       \
   * recorder writes those of atomics with a result */                                                                 \
  KIND(RELEASE, 4, FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_EVENT_ANY))                      \
  KIND(ACQUIRE, 5, FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_EVENT_ANY))                      \
  KIND(BOTH, 6, FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_EVENT_ANY))                         \
  /* A thread begins, with its stack: an acquire on its creation and on the stack's range */                           \
  KIND(THREAD_START, 7,                                                                                                \
       FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(INDEX, creator, DPROF_EVENT_ANY)                                     \
           FIELD(ADDRESS, address, DPROF_EVENT_ANY) FIELD(END, size, DPROF_EVENT_ANY))                                 \
  /* A thread ends: a release on the thread and on the stack's range */                                                \
  KIND(THREAD_END, 8,                                                                                                  \
       FIELD(STAMP, stamp, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_EVENT_ANY)                                   \
           FIELD(END, size, DPROF_EVENT_ANY))                                                                          \
  /* A system call that blocked has returned */                                                                        \
  KIND(BLOCKED, 9, FIELD(STAMP, stamp, DPROF_EVENT_ANY))                                                               \
  /* libc or the kernel wrote bytes for which there is no record. detail: dprof_unseen */                              \
  KIND(UNSEEN, 10, FIELD(NUMBER, size, DPROF_EVENT_ANY) FIELD(ADDRESS, address, DPROF_UNSEEN_KERNEL_RANGE))            \
  /* So many paths were cut short. detail: dprof_lost */                                                               \
  KIND(LOST, 11, FIELD(NUMBER, number, DPROF_EVENT_ANY))                                                               \
  /* A variable of the thread's own, or a global of a module that was loaded while the program ran, is there from now  \
   * on */                                                                                                             \
  KIND(THREAD_LOCAL, 12,                                                                                               \
       FIELD(UNIT, unit, DPROF_EVENT_ANY) FIELD(VARIABLE, variable, DPROF_EVENT_ANY)                                   \
           FIELD(ADDRESS, address, DPROF_EVENT_ANY))                                                                   \
  /* A signal's handler is entered (detail 1) or left (0); number: the signal's */                                     \
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
  // Its words are stamp, address, bytes, device, inode, offset; its detail a dprof_mapping_kind. It becomes a row of a
  // MAPPINGS chunk (trace_format.h), never an entry of an EVENTS chunk. So its code may be above 15.
  DPROF_EVENT_MAPPING = 16
};
#define DPROF_MAPPING_WORDS 6u

enum dprof_mapping_kind {
  DPROF_MAPPING_NONE = 0, // the memory is not shared any more
  DPROF_MAPPING_FILE = 1, // a file, also one without a name: memfd, /dev/shm, anonymous shared memory
  DPROF_MAPPING_SYSV = 2  // a System V segment, whose inode is its number
};

enum dprof_mark_kind {
  DPROF_MARK_PHASE = 1,  // a phase of the program begins; the text is its name
  DPROF_MARK_CLOSED = 2, // a recording window ends: from here on this process records no references; the text says why
  DPROF_MARK_OPENED = 3, // a recording window begins
  DPROF_MARK_DROPPED = 4 // `number` words of paths were thrown away: this thread logged them while no window was open
};
#define DPROF_MARK_TEXT_BYTES 120u /* longer texts are cut */

// Which function handed memory out. A free must be of the same family.
enum dprof_allocator {
  DPROF_ALLOCATOR_MALLOC = 1, // malloc, strdup ...
  DPROF_ALLOCATOR_CALLOC = 2,
  DPROF_ALLOCATOR_REALLOC = 3,
  DPROF_ALLOCATOR_ALIGNED = 4, // aligned_alloc, posix_memalign, memalign, valloc
  DPROF_ALLOCATOR_NEW = 5,
  DPROF_ALLOCATOR_MMAP = 6,  // mmap, mremap, munmap
  DPROF_ALLOCATOR_PART = 7,  // an allocator of the program's own, which cuts parts out of memory that it has
  DPROF_ALLOCATOR_POOL = 8,  // only of FREE: all parts of the pool at the address are given back at once
  DPROF_ALLOCATOR_MODULE = 9 // only of FREE: a module is unloaded, and with it all globals in the range
};

// Whose record a caller writes, of what a described function handed out (__dprof_note_received).
enum dprof_received {
  DPROF_RECEIVED_ANY = 0,
  DPROF_RECEIVED_NAMED = 1,  // of memory whose type its name told
  DPROF_RECEIVED_UNNAMED = 2 // of any other
};

enum dprof_sync {
  DPROF_SYNC_MUTEX = 1,
  DPROF_SYNC_RWLOCK = 2,
  DPROF_SYNC_CONDITION = 3,
  DPROF_SYNC_BARRIER = 4,       // object: its address; + 1 in every second generation, unless processes share it
  DPROF_SYNC_THREAD_CREATE = 5, // object: the new thread's number
  DPROF_SYNC_THREAD_JOIN = 6,   // object: the joined thread's number
  DPROF_SYNC_SEMAPHORE = 7,
  DPROF_SYNC_FILE = 8, // pipe, socket, eventfd: object is device << 32 ^ inode; System V semaphore: see below
  DPROF_SYNC_ATOMIC = 9,
  DPROF_SYNC_SPINLOCK = 10,
  DPROF_SYNC_ONCE = 11,
  DPROF_SYNC_PROCESS = 12, // the end of a process, and the wait for it: object is its id
  DPROF_SYNC_TEAM = 13,    // OpenMP's fork, barriers, loops and ordered regions: a number
  DPROF_SYNC_TASK = 14     // OpenMP's tasks: a number, or the address of a dependence (+ 1: of tasks that read there)
};

// The object of a System V semaphore is this, its set's id << 16 and its number in the set.
#define DPROF_SYNC_SYSV_DEVICE (1ull << 52)

enum dprof_unseen {
  DPROF_UNSEEN_CALLOC = 1,      // zeroed by libc
  DPROF_UNSEEN_REALLOC = 2,     // copied by libc
  DPROF_UNSEEN_KERNEL = 3,      // written into the program's buffers by a system call, at unknown addresses
  DPROF_UNSEEN_KERNEL_RANGE = 4 // written by a system call at a known address
};

enum dprof_lost {
  DPROF_LOST_PATHS = 0, // the thread had no room, or the recorder no time
  DPROF_LOST_CHUNKS = 1 // chunks are damaged; in no file: a reader tells itself
};

#endif
