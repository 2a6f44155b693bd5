// Stage: runtime. io_uring: the requests of one ring that have not completed -> the memory that a completion filled.
#include "ring_requests.h"

#include <sys/socket.h>

#include "meeting_points.h"
#include "memory.h"
#include "thread_log.h"

namespace dprof {
namespace {

// Numbers of operations, by the kernel's ABI: headers may be older than the program.
enum : uint8_t {
  OP_READV = 1,
  OP_WRITEV = 2,
  OP_READ_FIXED = 4,
  OP_WRITE_FIXED = 5,
  OP_SENDMSG = 9,
  OP_RECVMSG = 10,
  OP_READ = 22,
  OP_WRITE = 23,
  OP_SEND = 26,
  OP_RECV = 27,
  OP_PROVIDE_BUFFERS = 31,
  OP_SEND_ZC = 47,
  OP_SENDMSG_ZC = 48,
  OP_READ_MULTISHOT = 49,
  OP_RECV_ZC = 58,
  OP_READV_FIXED = 60,
  OP_WRITEV_FIXED = 61
};
constexpr uint8_t has_registered_file = 1 << 0, chooses_buffer = 1 << 5, is_silent = 1 << 6; // flags of a request
constexpr uint16_t receives_again = 1 << 1, takes_several_buffers = 1 << 4; // in the `ioprio` of RECV and RECVMSG
constexpr uint32_t has_buffer = 1 << 0, has_more = 1 << 1;                  // flags of a completion
constexpr uint64_t most_parts = 1024;                                       // of the kernel

// Copied by the kernel: what can not be read makes the request fail, not us.
bool copy_from_program(void *to, uint64_t from, uint64_t bytes) {
  iovec here = {to, bytes}, there = {(void *)from, bytes};
  return system_call(SYS_process_vm_readv, system_call(SYS_getpid), (long)&here, 1, (long)&there, 1, 0) == (long)bytes;
}

uint32_t clipped(uint64_t bytes) { return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX; }

void log_somewhere(int64_t bytes) {
  if (bytes > 0 && can_log()) log_unseen(DPROF_UNSEEN_KERNEL, (uint64_t)bytes);
}

void log_range(uint64_t address, uint64_t bytes) {
  if (can_log()) log_kernel_range((const void *)address, bytes);
}

bool sends(const io_uring_sqe &request) {
  switch (request.opcode) {
    case OP_WRITEV:
    case OP_WRITE_FIXED:
    case OP_SENDMSG:
    case OP_WRITE:
    case OP_SEND:
    case OP_SEND_ZC:
    case OP_SENDMSG_ZC:
    case OP_WRITEV_FIXED: return true;
    default: return false;
  }
}

} // namespace

// The mapping is zero-filled, and only touched pages exist.
RingRequests *RingRequests::make() {
  auto *made = (RingRequests *)map_far_away(sizeof(RingRequests), -1);
  if (made) made->touched_ = 1;
  return made;
}
void RingRequests::end() { unmap(this, sizeof *this); }

uint32_t RingRequests::take() {
  uint32_t node = unused_;
  if (node)
    unused_ = nodes_[node].next;
  else if (touched_ < most_nodes)
    node = touched_++;
  if (node)
    nodes_[node] = {};
  else
    miss();
  return node;
}
void RingRequests::give(uint32_t node) {
  nodes_[node].next = unused_;
  unused_ = node;
}
void RingRequests::give_parts(uint32_t parts) {
  for (uint32_t next; parts; parts = next) {
    next = nodes_[parts].next;
    give(parts);
  }
}

bool RingRequests::copy_parts(uint32_t *into, uint64_t address, uint64_t count) {
  if (count > most_parts) return false;
  for (uint64_t done = 0; done < count;) {
    iovec some[16];
    uint64_t now = count - done < 16 ? count - done : 16;
    if (!copy_from_program(some, address + done * sizeof *some, now * sizeof *some)) return false;
    for (uint64_t i = 0; i < now; i++) {
      uint32_t part = take();
      if (!part) return false;
      nodes_[part].address = (uint64_t)some[i].iov_base;
      nodes_[part].bytes = clipped(some[i].iov_len);
      *into = part;
      into = &nodes_[part].next;
    }
    done += now;
  }
  return true;
}

void RingRequests::describe(Node &node, const io_uring_sqe &request) {
  const bool receives = request.opcode == OP_RECV || request.opcode == OP_RECVMSG;
  node.address = request.addr;
  node.bytes = request.len;
  node.group = request.buf_group;
  switch (request.opcode) {
    case OP_READ:
    case OP_READ_FIXED:
    case OP_RECV: node.fills = BUFFER; break;
    case OP_READ_MULTISHOT: node.fills = OF_GROUP; break;
    case OP_READV:
    case OP_READV_FIXED: node.fills = copy_parts(&node.parts, request.addr, request.len) ? PARTS : SOMEWHERE; break;
    case OP_RECVMSG: {
      msghdr message;
      bool is_read = copy_from_program(&message, request.addr, sizeof message) &&
                     copy_parts(&node.parts, (uint64_t)message.msg_iov, message.msg_iovlen);
      node.fills = is_read ? PARTS : SOMEWHERE;
      break;
    }
    case OP_RECV_ZC: node.fills = SOMEWHERE; break;
    default: return;
  }
  if (request.flags & chooses_buffer) node.fills = OF_GROUP;
  // The first puts a head in front of each message, the second says how many bytes all its buffers have.
  bool has_head = request.opcode == OP_RECVMSG && request.ioprio & receives_again;
  if (has_head || (receives && request.ioprio & takes_several_buffers)) node.fills = SOMEWHERE;
}

void RingRequests::provide(const io_uring_sqe &request) {
  uint64_t numbers = request.off << 32 | (uint32_t)request.fd;
  auto is_same = [&](const Node &node) {
    return node.user_data == numbers && node.address == request.addr && node.bytes == request.len &&
           node.group == request.buf_group;
  };
  uint32_t *at = &groups_;
  while (*at && !is_same(nodes_[*at])) at = &nodes_[*at].next;
  uint32_t node = *at;
  if (node)
    *at = nodes_[node].next;
  else if (!(node = take()))
    return;
  Node &buffers = nodes_[node];
  buffers.user_data = numbers;
  buffers.address = request.addr;
  buffers.bytes = request.len;
  buffers.group = request.buf_group;
  buffers.next = groups_;
  groups_ = node;
}

void RingRequests::provide_ring(const void *address, uint32_t entries, uint16_t group) {
  uint32_t node = take();
  if (!node) return;
  Node &buffers = nodes_[node];
  buffers.is_ring = true;
  buffers.user_data = entries;
  buffers.address = (uint64_t)address;
  buffers.group = group;
  buffers.next = groups_;
  groups_ = node;
}

// Entries that the kernel has taken are still there until the program writes others over them. Several of one number
// may differ: then nobody knows.
bool RingRequests::find_in_ring(const Node &ring, uint32_t number, iovec *found) {
  *found = {};
  for (uint64_t done = 0; done < ring.user_data;) {
    RingBuffer some[64];
    uint64_t now = ring.user_data - done < 64 ? ring.user_data - done : 64;
    if (!copy_from_program(some, ring.address + done * sizeof *some, now * sizeof *some)) return false;
    for (uint64_t i = 0; i < now; i++) {
      if (some[i].bid != number || !some[i].addr) continue;
      bool is_other = found->iov_base && ((uint64_t)found->iov_base != some[i].addr || found->iov_len != some[i].len);
      if (is_other) return false;
      *found = {(void *)some[i].addr, some[i].len};
    }
    done += now;
  }
  return found->iov_base;
}

void RingRequests::submit(const io_uring_sqe &request) {
  const bool has_file = !(request.flags & has_registered_file);
  if (has_file && sends(request) && can_log())
    if (uint64_t point = meeting_point(request.fd)) log_release(DPROF_SYNC_FILE, point);
  if (request.opcode == OP_PROVIDE_BUFFERS) provide(request);
  if (request.flags & is_silent) return; // it completes unseen, unless it fails
  uint32_t node = take();
  if (!node) return;
  nodes_[node].user_data = request.user_data;
  describe(nodes_[node], request);
  if (has_file && nodes_[node].fills != NOTHING) nodes_[node].point = meeting_point(request.fd);
  uint32_t *last = &list_of(request.user_data);
  while (*last) last = &nodes_[*last].next;
  *last = node;
}

void RingRequests::complete(const io_uring_cqe &completion) {
  uint32_t *first = nullptr;
  unsigned candidates = 0;
  bool may_fill = false;
  for (uint32_t *at = &list_of(completion.user_data); *at; at = &nodes_[*at].next) {
    const Node &request = nodes_[*at];
    if (request.user_data != completion.user_data) continue;
    if (!first) first = at;
    candidates++;
    may_fill |= request.fills != NOTHING;
  }
  if (!first) return log_somewhere(completion.res); // a request that nobody saw
  if (candidates > 1 && may_fill)
    for (uint32_t at = *first; at; at = nodes_[at].next)
      if (nodes_[at].user_data == completion.user_data) nodes_[at].is_unclear = true;
  Node &request = nodes_[*first];
  if (request.is_unclear || (lacks_some_ && request.fills != NOTHING))
    log_somewhere(completion.res);
  else
    log(request, completion);
  if (completion.flags & has_more) return;
  uint32_t done = *first;
  *first = request.next;
  give_parts(request.parts);
  give(done);
}

void RingRequests::log(const Node &request, const io_uring_cqe &completion) const {
  if (completion.res >= 0 && request.point && can_log()) log_acquire(DPROF_SYNC_FILE, request.point);
  if (completion.res <= 0) return;
  uint64_t left = (uint64_t)completion.res;
  switch (request.fills) {
    case NOTHING: return;
    case BUFFER: return log_range(request.address, left < request.bytes ? left : request.bytes);
    case PARTS:
      for (uint32_t at = request.parts; at && left; at = nodes_[at].next) {
        uint64_t here = left < nodes_[at].bytes ? left : nodes_[at].bytes;
        log_range(nodes_[at].address, here);
        left -= here;
      }
      return;
    case OF_GROUP:
      if (completion.flags & has_buffer) return log_chosen(request.group, completion.flags >> 16, left);
      break;
    case SOMEWHERE: break;
  }
  log_somewhere(completion.res);
}

void RingRequests::log_chosen(uint16_t group, uint32_t number, uint64_t bytes) const {
  for (uint32_t at = groups_; at; at = nodes_[at].next) {
    const Node &buffers = nodes_[at];
    uint32_t place = number - (uint32_t)(buffers.user_data >> 32), count = (uint32_t)buffers.user_data;
    if (buffers.group != group) continue;
    if (buffers.is_ring) {
      iovec found;
      if (!find_in_ring(buffers, number, &found)) break;
      return log_range((uint64_t)found.iov_base, bytes < found.iov_len ? bytes : found.iov_len);
    }
    if (place >= count) continue;
    return log_range(buffers.address + (uint64_t)place * buffers.bytes, bytes < buffers.bytes ? bytes : buffers.bytes);
  }
  log_somewhere((int64_t)bytes);
}

} // namespace dprof
