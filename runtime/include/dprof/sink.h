// Stage: recorder -> a sink of your own. `dprof record --sink ./mine.so [-o ARGUMENT] -- PROGRAM` loads a shared object
// that defines
//
//   const struct dprof_sink_functions dprof_sink = {
//       .version = DPROF_SINK_VERSION, .open = ..., .records = ..., .close = ...};
//
// and gives it the program's records, decoded, while the program runs. docs/sinks.md has a whole example.
//
// For each process the recorder calls open, then functions, records and allocations, then close: all on one thread,
// never two at a time. While a call runs the program goes on, until too many records wait for the sink: then the
// program waits. Nothing is dropped. A call that returns something other than 0 (an errno) ends the recording of
// its process: the program runs on, and `close` is still called. Pointers in records and functions stay valid until
// `close` returns, those of other arguments until the call returns.
#ifndef DPROF_SINK_H
#define DPROF_SINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DPROF_SINK_VERSION 1u

struct dprof_sink_process {
  uint32_t pid;
  uint32_t argument_count;
  const char *const *arguments; // as the program was called; argument_count of them
  const char *executable;
  uint64_t stamps_per_second;
  uint32_t randomised; // 1: addresses differ from run to run
  uint32_t reserved;
};

struct dprof_sink_function {
  const char *name; // "ns::f" for C++
  const char *linkage_name;
  const char *file;
  uint32_t line;
};

// One place in the program's text. Strings are "" if nothing is known.
struct dprof_sink_site {
  const char *type;     // "struct args", "int"
  const char *field;    // "lock.owner", "slots[].key"
  const char *variable; // the global or local variable that is accessed
  const char *function; // the function to which the source line belongs
  const char *file;
  uint32_t line, column;
};

// One linked object: the program, or a library. Records name sites of modules that came before them.
struct dprof_sink_module {
  const char *path;
  const struct dprof_sink_function *functions;
  const struct dprof_sink_site *sites; // the sites with the numbers first_site to first_site + site_count - 1
  uint32_t function_count, first_site, site_count;
};

enum dprof_sink_kind {
  DPROF_SINK_LOAD = 1,
  DPROF_SINK_STORE = 2,
  DPROF_SINK_ATOMIC = 3,   // read, changed and written
  DPROF_SINK_OBJECT = 4,   // a stack variable comes to life at `address`
  DPROF_SINK_ALLOCATE = 5, // detail: enum dprof_allocator of abi.h, or 0 for an allocator of the program's own
  DPROF_SINK_FREE = 6,     // size 0: the whole object
  DPROF_SINK_RELEASE = 7,  // detail: enum dprof_sync; address: the object
  DPROF_SINK_ACQUIRE = 8,
  DPROF_SINK_THREAD_START = 9, // address and size of its stack; detail 0
  DPROF_SINK_THREAD_END = 10,
  DPROF_SINK_BLOCKED = 11,      // a system call that slept has returned
  DPROF_SINK_UNSEEN = 12,       // `size` bytes were written by libc; detail: enum dprof_unseen
  DPROF_SINK_KERNEL_STORE = 13, // the kernel wrote `size` bytes at `address`
  DPROF_SINK_SIGNAL = 14,       // size: the signal's number; detail 1: a handler begins, 0: it is left
  DPROF_SINK_LOST = 15,         // `size` paths of this thread are missing here
  // detail: enum dprof_mark_kind of abi.h. address: the text, a `const char *` (after 4,096 different texts, ""). size:
  // of DROPPED, words; of CLOSED and OPENED, the stamp of the change.
  DPROF_SINK_MARK = 16
};

struct dprof_sink_record {
  const struct dprof_sink_site *site; // null: unknown
  uint64_t address;
  uint64_t size;   // bytes
  uint64_t stamp;  // of an event: the time stamp counter, rising along a thread; 0: none was taken
  uint32_t thread; // in creation order, from 0
  uint16_t kind;   // enum dprof_sink_kind; readers pass over those that they do not know
  uint16_t detail;
};

struct dprof_sink_functions {
  uint32_t version; // DPROF_SINK_VERSION
  uint32_t reserved;
  // `argument` is the text given with -o, "" if there was none. If `open` returns null, this process runs on
  // unrecorded.
  void *(*open)(const char *argument, const struct dprof_sink_process *process);
  // The functions below may be null. `functions` gets a module's functions and sites before the first record that names
  // them.
  int (*functions)(void *sink, const struct dprof_sink_module *module);
  // Gets a chunk of one thread's records, in the thread's order. Chunks of different threads alternate.
  int (*records)(void *sink, const struct dprof_sink_record *records, size_t count);
  // Gets the ALLOCATE and FREE records of a chunk once more, right after `records`: for sinks that want only those.
  int (*allocations)(void *sink, const struct dprof_sink_record *records, size_t count);
  // `end` says how the process ended: the JSON of a trace's END chunk (docs/trace-format.md).
  void (*close)(void *sink, const char *end);
};

// A shared object defines this, with default visibility.
extern const struct dprof_sink_functions dprof_sink;

#ifdef __cplusplus
}
#endif

#endif
