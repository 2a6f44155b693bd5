// Stage: runtime. Memory of its own, far away from everything that the program maps, so that the program has the same
// addresses as without dprof.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace dprof {

// Null if the kernel refuses. `fd` -1: private, anonymous and zero-filled; only touched pages exist.
void *map_far_away(size_t bytes, int fd);
// Bytes of all such mappings that are there.
size_t mapped_far_away();
// Maps `fd` in place of the mapping at `address`.
bool map_over(void *address, size_t bytes, int fd);
void unmap(void *address, size_t bytes); // of those
// False if the pages can not be had (a full /dev/shm would otherwise kill the program with SIGBUS at the first touch).
bool populate(void *address, size_t bytes);

size_t text_length(const char *text);
void copy_bytes(void *to, const void *from, size_t bytes);
// Appends to `to`, which holds `capacity` bytes; the result is always NUL-terminated. Returns the new length.
size_t append_text(char *to, size_t capacity, size_t length, const char *text);
size_t append_number(char *to, size_t capacity, size_t length, uint64_t number);

} // namespace dprof
