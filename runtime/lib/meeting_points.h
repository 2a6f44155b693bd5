// Stage: runtime. A descriptor -> the object at which its reading and writing threads meet.
#pragma once

#include <stdint.h>

namespace dprof {

// 0: threads can not meet there. The answer is not kept: the descriptor may name something else by the next call.
uint64_t meeting_point(int fd);
// Data written at one end is read at the other: two inodes, one object.
void note_socket_pair(const int ends[2]);

} // namespace dprof
