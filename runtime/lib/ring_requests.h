// Stage: runtime. io_uring: the requests of one ring that have not completed -> the memory that a completion filled.
//
// A completion names its request by `user_data`. Where several requests that are under way have the same, and one of
// them fills memory, nobody can say which completed: the bytes are counted, and their place is not known.
#pragma once

#include <linux/io_uring.h>
#include <stdint.h>
#include <sys/uio.h>

namespace dprof {

// The kernel's `io_uring_buf`, which headers before Linux 5.19 lack.
struct RingBuffer {
  uint64_t addr;
  uint32_t len;
  uint16_t bid, resv;
};
static_assert(sizeof(RingBuffer) == 16);

class RingRequests {
public:
  static RingRequests *make(); // null if there is no memory
  void end();

  // Logs the RELEASE of a request that sends.
  void submit(const io_uring_sqe &request);
  // Logs what the kernel wrote for it, and the ACQUIRE of what it received.
  void complete(const io_uring_cqe &completion);
  // A ring of so many buffers (`RingBuffer`), from which the kernel takes them.
  void provide_ring(const void *address, uint32_t entries, uint16_t group);
  // Requests or completions were missed. From then on nobody can say which request completed.
  void miss() { lacks_some_ = true; }

private:
  enum Fills : uint8_t {
    NOTHING,
    BUFFER,
    PARTS,
    OF_GROUP, // whichever buffer of its group the kernel chose
    SOMEWHERE
  };
  // Also a part of a request's buffers, and buffers of a group.
  struct Node {
    uint64_t user_data; // buffers of a group: number of the first << 32 | count
    uint64_t address;
    uint64_t point; // where the threads of its file meet (meeting_points.h)
    uint32_t bytes; // of one
    uint32_t next;
    uint32_t parts;
    uint16_t group;
    Fills fills;
    bool is_ring;    // of buffers: `user_data` is how many
    bool is_unclear; // another one with the same `user_data` has completed, or this one
  };
  static constexpr uint32_t most_nodes = 1 << 16, lists = 1 << 10;

  uint32_t take();
  void give(uint32_t node);
  void give_parts(uint32_t parts);
  // The parts of `count` that are at `address` in the program, in order; false if nobody can read them.
  bool copy_parts(uint32_t *into, uint64_t address, uint64_t count);
  void describe(Node &node, const io_uring_sqe &request);
  void provide(const io_uring_sqe &request);
  void log(const Node &request, const io_uring_cqe &completion) const;
  void log_chosen(uint16_t group, uint32_t number, uint64_t bytes) const;
  // What the ring of buffers has under this number; false if that is not one buffer.
  static bool find_in_ring(const Node &ring, uint32_t number, iovec *found);
  uint32_t &list_of(uint64_t user_data) {
    return first_[(user_data ^ user_data >> 4 ^ user_data >> 12 ^ user_data >> 32) % lists];
  }

  bool lacks_some_ = false;
  uint32_t unused_ = 0, touched_ = 1; // node 0: none
  uint32_t groups_ = 0;               // the newest first
  uint32_t first_[lists] = {};        // the oldest first
  Node nodes_[most_nodes];
};

} // namespace dprof
