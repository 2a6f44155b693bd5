// Stage: plugin. Limits of the size of paths and regions.
#ifndef DPROF_PASS_LIMITS_H
#define DPROF_PASS_LIMITS_H

namespace dprof::limits {

// A record must fit the runtime's buffer, so longer straight-line code is cut.
inline constexpr unsigned SegmentWords = 2048;
// The limit of one path, unless a single segment has more. If a signal cuts a path short, the path is lost.
inline constexpr unsigned PathWords = 256;
inline constexpr unsigned PathRecords = 32;
// Ways to one place: the recorder predicts each path by itself, from its earlier occurrences.
inline constexpr unsigned WaysToNode = 128;
// Paths of a whole region; each takes a byte of the unit. An interpreter's switch has many that have little in common.
inline constexpr unsigned RegionPaths = 16384;

// Each region has rows of its own in the unit for the nodes that it shares.
inline constexpr unsigned RegionsOfNode = 6;

// A loop that is recorded once: with fewer iterations a path for each is as short.
inline constexpr unsigned LoopIterations = 3;
inline constexpr unsigned LoopAddresses = 24;
// The most that computing an address or a count before the loop may cost, in instructions, roughly.
inline constexpr unsigned LoopExpansion = 12;

} // namespace dprof::limits

#endif
