// Stage: recorder. While there is no room it waits, and with it whoever it writes for.
#include "live_writer.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <utility>

namespace dprof {
namespace {

constexpr long patience_ns = 200000000; // until it is asked whether to go on

} // namespace

LiveWriter::LiveWriter(int data, dprof_live_control *control, std::function<bool()> goes_on)
    : data_(data), control_(control), goes_on_(std::move(goes_on)) {}

void LiveWriter::wake_reader() {
  if (!load_shared(&control_->reader_sleeps)) return;
  __atomic_fetch_add(&control_->data, 1u, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &control_->data, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

int LiveWriter::wait_until(const std::function<bool()> &has_room, uint64_t wanted) {
  while (!has_room() && !load_shared(&control_->gone)) {
    uint32_t seen = load_shared(&control_->room);
    store_shared(&control_->wanted, wanted);
    store_shared(&control_->writer_sleeps, 1u);
    wake_reader(); // who may have nothing to read, and room to make
    timespec timeout = {0, patience_ns};
    if (!has_room() && !load_shared(&control_->gone))
      syscall(SYS_futex, &control_->room, FUTEX_WAIT, seen, &timeout, nullptr, 0);
    store_shared(&control_->writer_sleeps, 0u);
    if (!goes_on_()) return ECANCELED;
  }
  return load_shared(&control_->gone) ? ECANCELED : 0; // the reader says why itself
}

int LiveWriter::wait_for_room(uint64_t bytes) {
  auto has_room = [&] {
    uint64_t released = load_shared(&control_->released);
    return released == written_ || written_ + bytes - released <= load_shared(&control_->capacity);
  };
  return wait_until(has_room, bytes);
}

int LiveWriter::put(iovec *parts, int count) {
  uint64_t bytes = 0;
  for (int i = 0; i < count; i++) bytes += parts[i].iov_len;
  if (int error = wait_for_room(bytes)) return error;
  uint64_t at = written_, end = written_ + bytes;
  while (at < end) {
    ssize_t n = pwritev(data_, parts, count, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    at += (uint64_t)n;
    for (; count && (size_t)n >= parts->iov_len; parts++, count--) n -= (ssize_t)parts->iov_len;
    if (count) *parts = {(char *)parts->iov_base + n, parts->iov_len - (size_t)n};
  }
  written_ = end;
  store_shared(&control_->written, end);
  wake_reader();
  return 0;
}

void LiveWriter::end(dprof_live_over how) {
  store_shared(&control_->over, (uint32_t)how);
  wake_reader();
}

} // namespace dprof
