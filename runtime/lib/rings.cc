// Stage: runtime. io_uring: the rings of this process -> RELEASE before requests are submitted, ACQUIRE when
// completions are seen, and the ranges that the kernel filled for them.
#include "rings.h"

#include <sys/mman.h>

#include "interpose.h"
#include "ring_requests.h"

namespace dprof {

bool has_rings;

namespace {

// liburing's `struct io_uring`, as its ABI has it since 0.3.
struct LibraryQueue {
  const uint32_t *head, *tail, *mask, *entries, *flags, *dropped;
};
struct LibraryRing {
  struct : LibraryQueue {
    const uint32_t *array;
    const io_uring_sqe *requests;
    uint32_t request_head, request_tail;
    size_t bytes;
    const void *at;
    uint32_t reserved[4];
  } submission;
  struct : LibraryQueue {
    const io_uring_cqe *completions;
    size_t bytes;
    const void *at;
    uint32_t reserved[4];
  } completion;
  uint32_t flags;
  int descriptor;
};

constexpr uint32_t has_wide_requests = 1 << 10, has_wide_completions = 1 << 11, is_in_own_memory = 1 << 14,
                   has_no_descriptor = 1 << 15, has_no_array = 1 << 16; // flags of io_uring_setup
constexpr uint32_t fills_bit_by_bit = 1 << 1;                           // flag of a ring of buffers
constexpr uint32_t is_registered = 1 << 4;                              // of io_uring_enter
// Of an object that threads meet at (enum dprof_sync, FILE), no device has these bits.
constexpr uint64_t ring_device = DPROF_SYNC_SYSV_DEVICE | DPROF_SYNC_SYSV_DEVICE >> 1;

// The kernel's `io_uring_buf_reg`, which headers before Linux 5.19 lack.
struct RegisteredBuffers {
  uint64_t address;
  uint32_t entries;
  uint16_t group, flags;
};

struct Piece {
  uintptr_t begin, bytes;
  bool overlaps(uintptr_t at, size_t size) const { return bytes && at < begin + bytes && begin < at + size; }
};

struct RingState {
  bool is_used;
  int descriptor;
  uint32_t flags;
  uint64_t object;
  RingRequests *requests;
  const uint32_t *submission_head;
  const uint32_t *submission_tail; // null: not mapped yet
  const uint32_t *array;           // null: there is none
  const io_uring_sqe *entries;
  uint32_t submission_entries, submitted;
  const uint32_t *completion_tail; // null: not mapped yet
  const io_uring_cqe *completions;
  uint32_t completion_entries, completed;
  Piece pieces[3];
  io_uring_params parameters; // of a ring that the program maps itself
};
struct Ring : RingState {
  uint32_t lock;
};

constexpr unsigned most_rings = 256;
Ring rings[most_rings];
uint32_t rings_lock, rings_made, most_open; // the last: of the slots, none behind it was ever used

template <typename Is> Ring *find(Is is) {
  if (__builtin_expect(!has_rings || !recording, 1)) return nullptr;
  for (Ring *ring = rings, *end = rings + load(&most_open); ring < end; ring++)
    if (load(&ring->is_used) && is(*ring)) return ring;
  return nullptr;
}
Ring *with_completion_tail(const volatile void *tail) {
  return find([&](const Ring &ring) { return load(&ring.completion_tail) == tail; });
}
Ring *with_submission_tail(const volatile void *tail) {
  return find([&](const Ring &ring) { return load(&ring.submission_tail) == tail; });
}
Ring *with_descriptor(int descriptor) {
  return find([&](const Ring &ring) { return ring.descriptor == descriptor; });
}

void end_ring(Ring &ring) {
  Locked locked(ring.lock);
  if (!ring.is_used) return;
  store(&ring.is_used, false);
  store<const uint32_t *>(&ring.submission_tail, nullptr);
  store<const uint32_t *>(&ring.completion_tail, nullptr);
  ring.requests->end();
}

// A ring with this descriptor, if there still is one, was closed unseen.
Ring *begin_ring(int descriptor, uint32_t flags) {
  if (Ring *old = descriptor < 0 ? nullptr : with_descriptor(descriptor)) end_ring(*old);
  Locked locked(rings_lock);
  Ring *ring = rings;
  while (ring < rings + most_rings && load(&ring->is_used)) ring++;
  RingRequests *requests = ring < rings + most_rings ? RingRequests::make() : nullptr;
  if (!requests) return nullptr;
  take_lock(&ring->lock);
  uint64_t process = (uint64_t)system_call(SYS_getpid);
  static_cast<RingState &>(*ring) = {};
  ring->descriptor = descriptor;
  ring->flags = flags;
  ring->object = ring_device | process << 24 | (rings_made++ & 0xffffff);
  ring->requests = requests;
  store(&ring->is_used, true);
  give_lock(&ring->lock);
  if (uint32_t open = (uint32_t)(ring - rings) + 1; open > most_open) store(&most_open, open);
  store(&has_rings, true);
  return ring;
}

uint32_t wide_shift(const Ring &ring, uint32_t flag) { return ring.flags & flag ? 1 : 0; }

// Requests up to `tail` are about to be submitted, or just were. What the kernel has taken may have been overwritten.
void submit(Ring &ring, uint32_t tail) {
  if (load(&ring.submitted) == tail) return;
  ErrnoKept kept;
  Locked locked(ring.lock);
  if (!ring.submission_tail || (int32_t)(tail - ring.submitted) <= 0) return;
  if (can_log()) log_release(DPROF_SYNC_FILE, ring.object);
  uint32_t from = ring.submitted, taken = load(ring.submission_head), mask = ring.submission_entries - 1;
  if ((int32_t)(taken - from) > 0) {
    ring.requests->miss();
    from = taken;
  }
  for (uint32_t at = from; (int32_t)(tail - at) > 0; at++) {
    uint32_t entry = ring.array ? ring.array[at & mask] : at & mask;
    if (entry < ring.submission_entries)
      ring.requests->submit(ring.entries[entry << wide_shift(ring, has_wide_requests)]);
  }
  store(&ring.submitted, tail);
}

void see(Ring &ring, uint32_t tail) {
  if (load(&ring.completed) == tail) return;
  ErrnoKept kept;
  Locked locked(ring.lock);
  const uint32_t count = tail - ring.completed, mask = ring.completion_entries - 1;
  if (!ring.completion_tail || (int32_t)count <= 0) return; // another thread saw more
  if (can_log()) log_acquire(DPROF_SYNC_FILE, ring.object);
  const bool is_overwritten = load(ring.completion_tail) - ring.completed > ring.completion_entries;
  if (is_overwritten) ring.requests->miss();
  for (uint32_t at = is_overwritten ? tail : ring.completed; at != tail; at++)
    ring.requests->complete(ring.completions[(at & mask) << wide_shift(ring, has_wide_completions)]);
  store(&ring.completed, tail);
}

void see_all(Ring *ring) {
  const uint32_t *tail = ring ? load(&ring->completion_tail) : nullptr;
  if (tail) see(*ring, load(tail));
}

void map_submission(Ring &ring, uintptr_t base) {
  const io_sqring_offsets &at = ring.parameters.sq_off;
  ring.submission_entries = ring.parameters.sq_entries;
  ring.submission_head = (const uint32_t *)(base + at.head);
  ring.array = ring.flags & has_no_array ? nullptr : (const uint32_t *)(base + at.array);
}

void map_completion(Ring &ring, uintptr_t base) {
  const io_cqring_offsets &at = ring.parameters.cq_off;
  ring.completion_entries = ring.parameters.cq_entries;
  ring.completions = (const io_uring_cqe *)(base + at.cqes);
  store(&ring.completion_tail, (const uint32_t *)(base + at.tail));
}

} // namespace

void forget_rings(const void *address, size_t bytes) {
  for (Ring &ring : rings)
    for (const Piece &piece : ring.pieces)
      if (load(&ring.is_used) && piece.overlaps((uintptr_t)address, bytes)) end_ring(ring);
}

} // namespace dprof

using namespace dprof;

// liburing has made a ring, if the result is not negative.
DPROF_EXPORT void __dprof_ring_opened(const void *made, int32_t result) {
  if (!recording || result < 0) return;
  ErrnoKept kept;
  const auto &from = *(const LibraryRing *)made;
  Ring *ring = begin_ring(from.flags & has_no_descriptor ? -1 : from.descriptor, from.flags);
  if (!ring) return;
  Locked locked(ring->lock);
  ring->submission_head = from.submission.head;
  ring->entries = from.submission.requests;
  ring->submission_entries = *from.submission.entries;
  ring->submitted = *from.submission.tail;
  ring->completions = from.completion.completions;
  ring->completion_entries = *from.completion.entries;
  ring->completed = *from.completion.tail;
  store(&ring->submission_tail, from.submission.tail);
  store(&ring->completion_tail, from.completion.tail);
}

DPROF_EXPORT void __dprof_ring_closing(const void *closed) {
  if (Ring *ring = has_rings ? with_completion_tail(((const LibraryRing *)closed)->completion.tail) : nullptr) {
    ErrnoKept kept;
    end_ring(*ring);
  }
}

// liburing hands over all that the program has prepared, entry by entry in order.
DPROF_EXPORT void __dprof_ring_submitting(const void *library) {
  if (!has_rings) return;
  const auto &queue = ((const LibraryRing *)library)->submission;
  if (Ring *ring = with_submission_tail(queue.tail)) submit(*ring, queue.request_tail);
}

// Some function of liburing has looked at the completions.
DPROF_EXPORT void __dprof_ring_seen(const void *library) {
  if (has_rings) see_all(with_completion_tail(((const LibraryRing *)library)->completion.tail));
}

// A ring of buffers, unless the kernel may fill one of them bit by bit.
DPROF_EXPORT void __dprof_ring_buffers(const void *library, const void *buffers, uint32_t entries, uint32_t group,
                                       uint32_t flags) {
  Ring *ring = buffers && !(flags & fills_bit_by_bit)
                   ? with_completion_tail(((const LibraryRing *)library)->completion.tail)
                   : nullptr;
  if (!ring) return;
  ErrnoKept kept;
  Locked locked(ring->lock);
  if (ring->is_used) ring->requests->provide_ring(buffers, entries, (uint16_t)group);
}
DPROF_EXPORT void __dprof_ring_buffers_registered(const void *library, const void *registered, int32_t result) {
  if (!has_rings || result < 0) return;
  const auto &buffers = *(const RegisteredBuffers *)registered;
  __dprof_ring_buffers(library, (const void *)buffers.address, buffers.entries, buffers.group, buffers.flags);
}

// The program itself has loaded, or is about to store, what may be a ring's tail.
DPROF_EXPORT void __dprof_ring_loaded(const volatile void *address, uint32_t value) {
  if (Ring *ring = with_completion_tail(address)) see(*ring, value);
}
DPROF_EXPORT void __dprof_ring_storing(const volatile void *address, uint32_t value) {
  if (Ring *ring = with_submission_tail(address)) submit(*ring, value);
}

// The system calls. A ring that lies in memory which the program gave is left out.
DPROF_EXPORT void __dprof_ring_set_up(int64_t descriptor, const io_uring_params *parameters) {
  if (!recording || descriptor < 0 || parameters->flags & (is_in_own_memory | has_no_descriptor)) return;
  ErrnoKept kept;
  Ring *ring = begin_ring((int)descriptor, parameters->flags);
  if (ring) ring->parameters = *parameters;
}

DPROF_EXPORT void __dprof_ring_mapped(void *address, uint64_t bytes, int32_t descriptor, uint64_t offset) {
  Ring *ring = address == MAP_FAILED || descriptor < 0 ? nullptr : with_descriptor(descriptor);
  if (!ring) return;
  ErrnoKept kept;
  Locked locked(ring->lock);
  if (!ring->parameters.sq_entries) return; // liburing's
  const auto base = (uintptr_t)address;
  const bool is_one = ring->parameters.features & IORING_FEAT_SINGLE_MMAP;
  const unsigned piece = offset == IORING_OFF_SQES ? 2 : offset == IORING_OFF_CQ_RING ? 1 : 0;
  ring->pieces[piece] = {base, bytes};
  if (piece == 2) ring->entries = (const io_uring_sqe *)base;
  if (piece == 0) map_submission(*ring, base);
  if (piece == 1 || (is_one && piece == 0 && !ring->completion_tail)) map_completion(*ring, base);
  if (ring->entries && ring->submission_head)
    store(&ring->submission_tail, (const uint32_t *)((uintptr_t)ring->submission_head - ring->parameters.sq_off.head +
                                                     ring->parameters.sq_off.tail));
}

DPROF_EXPORT void __dprof_ring_entering(int32_t descriptor, uint32_t flags) {
  Ring *ring = flags & is_registered ? nullptr : with_descriptor(descriptor);
  const uint32_t *tail = ring ? load(&ring->submission_tail) : nullptr;
  if (tail) submit(*ring, load(tail));
}
DPROF_EXPORT void __dprof_ring_entered(int32_t descriptor, uint32_t flags) {
  if (!(flags & is_registered)) see_all(with_descriptor(descriptor));
}
