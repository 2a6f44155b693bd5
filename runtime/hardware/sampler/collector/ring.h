// Stage: sampler. The kernel's ring of one processor: gives records one after the other, each in one piece even where
// it wraps around the end.
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>

#include <vector>

namespace dprof {

class Ring {
public:
  // `page`: perf_event_mmap_page, with the data of `data_bytes`, a power of two, behind it at `data`.
  Ring(perf_event_mmap_page *page, const uint8_t *data, size_t data_bytes)
      : page_(page), data_(data), data_bytes_(data_bytes) {}

  // Calls `take(const uint8_t *record, size_t bytes)` for each record that was there when the call began. After each
  // record the kernel gets its room back.
  template <typename Take> void read(Take take) {
    const uint64_t head = __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE);
    for (uint64_t tail = page_->data_tail; tail < head;) {
      perf_event_header header;
      copy_out(tail, &header, sizeof header);
      if (header.size < sizeof header) break; // not the kernel's
      const size_t at = tail % data_bytes_;
      if (at + header.size <= data_bytes_) {
        take(data_ + at, (size_t)header.size);
      } else {
        whole_.resize(header.size);
        copy_out(tail, whole_.data(), header.size);
        take((const uint8_t *)whole_.data(), (size_t)header.size);
      }
      tail += header.size;
      __atomic_store_n(&page_->data_tail, tail, __ATOMIC_RELEASE);
    }
  }

  // For PMUs that write their data elsewhere (Arm SPE): that place; its size is a power of two.
  void attach_aux(const uint8_t *data, size_t bytes) {
    aux_ = data;
    aux_bytes_ = bytes;
  }
  // The data that an AUX record names, in one piece; valid until the next call. nullptr: not there.
  const uint8_t *aux(uint64_t offset, size_t bytes) {
    if (bytes > aux_bytes_) return nullptr;
    const size_t at = offset % aux_bytes_, first = bytes < aux_bytes_ - at ? bytes : aux_bytes_ - at;
    if (first == bytes) return aux_ + at;
    piece_.assign(aux_ + at, aux_ + at + first);
    piece_.insert(piece_.end(), aux_, aux_ + bytes - first);
    return piece_.data();
  }
  void release_aux(uint64_t end) { __atomic_store_n(&page_->aux_tail, end, __ATOMIC_RELEASE); }

private:
  void copy_out(uint64_t from, void *to, size_t bytes) const {
    const size_t at = from % data_bytes_, first = bytes < data_bytes_ - at ? bytes : data_bytes_ - at;
    memcpy(to, data_ + at, first);
    memcpy((uint8_t *)to + first, data_, bytes - first);
  }

  perf_event_mmap_page *page_;
  const uint8_t *data_;
  size_t data_bytes_;
  const uint8_t *aux_ = nullptr;
  size_t aux_bytes_ = 0;
  std::vector<uint8_t> whole_, piece_;
};

} // namespace dprof
