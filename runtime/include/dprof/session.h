// Stage: runtime <-> recorder, while a program runs. The files of a *session directory*, shared by mapping:
//
//   control          struct dprof_session_control; the recorder holds a lock on the file while it lives
//   p.<image>        struct dprof_session_process | thread seats | buffers; one per process image, numbered from 0
//   p.<image>.m<n>   struct dprof_session_module | path | build id | struct dprof_global[] | units; one per
//                    registered module
//   s.<n>            an empty large file. A process that may not make large files renames it to one of the others
//
// A thread writes records into one of its buffers. It hands over what is finished as a *piece* in its seat's ring,
// which has one writer (the thread) and one reader (the recorder). The thread zeroes a stretch of its buffer before it
// writes there, so behind the last whole record there is always a zero word. That is how the recorder finds the end of
// what a dead process left.
#ifndef DPROF_SESSION_H
#define DPROF_SESSION_H

#include <stdint.h>

#define DPROF_SESSION_MAGIC 0x31535044u /* "DPS1" */
// A recorder and a program for different processors, one of them emulated, have different clocks: neither takes the
// other for its own.
#if defined(__aarch64__)
#define DPROF_SESSION_VERSION 0x10005u
#else
#define DPROF_SESSION_VERSION 5u
#endif

#define DPROF_SESSION_SEATS 4096u /* threads at one time; fewer where address space is short */
#define DPROF_SESSION_BUFFERS 4u  /* per thread */
#define DPROF_SESSION_BUFFER_WORDS 32768u
#define DPROF_SESSION_SPARES 4u
#define DPROF_SESSION_PIECES 32u /* a power of two */
#define DPROF_SESSION_PATH_BYTES 4096u
#define DPROF_SESSION_COMMAND_BYTES 32768u
#define DPROF_SESSION_NO_BUFFER 0xffffffffu

struct dprof_session_control {
  uint32_t magic;
  uint32_t version;
  uint32_t recorder_pid;
  uint32_t wake;     // futex: whoever has something for the recorder to look at adds 1
  uint32_t sleeping; // 1: the recorder waits on `wake` and wants a FUTEX_WAKE
  uint32_t images;   // how many image numbers were given out
  uint32_t stopped;  // 1: the recorder takes no more; everybody goes dormant
  uint32_t failure;  // errno of the last image that could not be set up
  // The first bytes of a robust, process-shared pthread mutex that the recorder holds. When the recorder dies, the
  // kernel sets bit 30.
  uint32_t alive[16];
  uint32_t spares_wanted; // 1: some process needs the files s.<n>; 2: the recorder may not make such files either
  uint32_t reserved[7];
};
#define DPROF_SESSION_OWNER_DIED 0x40000000u
#define DPROF_SPARES_REFUSED 2u

enum dprof_session_process_state {
  DPROF_PROCESS_BUILDING = 0,
  DPROF_PROCESS_READY = 1,
  DPROF_PROCESS_CLOSING = 2 // the program logs no more and waits for `whole`
};

struct dprof_session_process {
  uint32_t magic;
  uint32_t version;
  uint32_t state;
  uint32_t pid;
  uint32_t seats;       // thread seats in this file
  uint32_t seats_used;  // no seat at or above this was ever taken
  uint32_t next_thread; // how many thread numbers were given out
  uint32_t modules;     // how many module files are whole
  uint32_t exit_known;  // 1: exit_code is what the program passed to exit
  uint32_t exit_code;
  uint32_t whole;   // futex: 1 when the recorder has written this image's trace
  uint32_t lost;    // segments lost before a thread could be set up
  uint32_t stopped; // 0: the buffers hold all up to the program's end; else the errno that explains why they do not
  // futex: 1 while a thread waits for the recorder to read what all threads have logged, because another module will be
  // where one was: what it did is known only as long as nothing else is there. The recorder adds 1.
  uint32_t replacing;
  uint64_t replaced_begin, replaced_end; // addresses of that module's units
  uint64_t seats_offset;
  uint64_t buffers_offset;
  uint64_t file_bytes;
  uint64_t start_time_ns; // Unix time
  uint32_t executable_bytes;
  uint32_t command_bytes; // NUL-separated arguments
  char executable[DPROF_SESSION_PATH_BYTES];
  char command[DPROF_SESSION_COMMAND_BYTES];
  char allocator[DPROF_SESSION_PATH_BYTES]; // the library whose malloc is called; empty: in the executable
};

// The piece is the last one of this taking of the buffer: the recorder gives the buffer back.
enum { DPROF_PIECE_LAST = 1 };

struct dprof_session_piece {
  uint32_t buffer;
  uint32_t begin, end; // words
  uint32_t flags;      // bit 0: DPROF_PIECE_LAST; the others: the number of the taking of the buffer
};

enum dprof_session_seat_state {
  DPROF_SEAT_FREE = 0,
  DPROF_SEAT_STARTING = 1,
  DPROF_SEAT_LIVE = 2,
  DPROF_SEAT_ENDED = 3 // no more pieces will come; the recorder frees the seat when it has read them
};

struct dprof_session_seat {
  uint32_t state;
  uint32_t thread;         // number, in creation order
  uint32_t current_buffer; // the thread writes this one; from word `current_begin` on, nothing is handed over yet
  uint32_t current_begin;
  uint32_t returned; // futex: the recorder adds 1 when it gives back a buffer or a place in the ring
  uint32_t pushed;   // how many pieces the program has ever handed over
  uint32_t lost;     // segments that were lost and that no LOST event says yet
  // How many times the thread has taken a buffer. When a thread has died, its last piece may already hold what it was
  // writing: that piece has this number.
  uint32_t current_taking;
  uint32_t buffer_busy[DPROF_SESSION_BUFFERS]; // 1: the thread writes it, or the recorder has yet to read it
  struct dprof_session_piece pieces[DPROF_SESSION_PIECES];
  uint32_t popped;         // how many pieces the recorder has ever read
  uint32_t kernel_thread;  // the thread's number for the kernel; 0: unknown
  uint64_t awaited_object; // the object of the acquire that `awaits` announces
  uint32_t awaits;         // header of the event that the thread will log when the call that it is in returns; 0: none
  uint32_t waits;          // counts changes of the two fields before
  uint32_t reserved2[10];
  uint64_t owner[26]; // the runtime keeps its own data here; the recorder does not read it
};

struct dprof_session_module {
  uint32_t magic;
  uint32_t path_bytes;
  uint64_t units_address; // where the units lie in the program
  uint64_t units_bytes;
  uint64_t globals_count;
  uint32_t build_id_bytes; // 0: the file has none
  uint32_t reserved;
};

#ifdef __cplusplus
static_assert(sizeof(struct dprof_session_control) == 128, "dprof_session_control");
static_assert(sizeof(struct dprof_session_process) == 112 + 4096 + 32768 + 4096, "dprof_session_process");
static_assert(sizeof(struct dprof_session_piece) == 16, "dprof_session_piece");
static_assert(sizeof(struct dprof_session_seat) == 48 + 512 + 64 + 208, "dprof_session_seat");
static_assert(sizeof(struct dprof_session_module) == 40, "dprof_session_module");
#endif

#endif
