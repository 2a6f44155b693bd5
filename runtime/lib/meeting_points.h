// Stage: runtime. A descriptor -> the object at which threads meet that read and write there.
#pragma once

#include <stdint.h>

namespace dprof {

// 0: not something that two threads can meet at. Asked for each time: a descriptor may be anything by now.
uint64_t meeting_point(int fd);
// What is written at one end is read at the other: two inodes, one object.
void note_socket_pair(const int ends[2]);

} // namespace dprof
