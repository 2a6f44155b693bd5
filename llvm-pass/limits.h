// Stage: plugin. How far paths go.
#ifndef DPROF_PASS_LIMITS_H
#define DPROF_PASS_LIMITS_H

namespace dprof::limits {

// A record must fit the runtime's buffer: longer straight-line code is cut.
inline constexpr unsigned SegmentWords = 2048;
// Of one path, unless a single segment has more: a path that a signal cuts short is lost.
inline constexpr unsigned PathWords = 256;
inline constexpr unsigned PathRecords = 32;
// Ways to one place: the recorder predicts each path by itself, from what it saw of it.
inline constexpr unsigned WaysToNode = 128;
// Of a whole region, a byte of the unit for each. An interpreter's switch has many that have little in common.
inline constexpr unsigned RegionPaths = 16384;

// Each region has rows of its own in the unit for the nodes that it shares.
inline constexpr unsigned RegionsOfNode = 6;

// Loops that are recorded once: with fewer iterations a path for each is as short.
inline constexpr unsigned LoopIterations = 3;
inline constexpr unsigned LoopAddresses = 24;
// What computing an address or a count before the loop may cost, in instructions, about.
inline constexpr unsigned LoopExpansion = 12;

} // namespace dprof::limits

#endif
