// Stage: trace -> replay. The mappings of one process, by stamp, to the pieces of its addresses that lie in each, and
// when: a later one takes the place of what it covers.

import { DprofError } from '../base/dprof-error.js';
import { MappingKind } from '../trace/layout.js';
import type { Mapping } from '../trace/mapping-chunk.js';

export interface MappedPiece {
  readonly mapping: Mapping;
  readonly begin: number;
  readonly end: number;
  /** Stamps, the second excluded. */
  readonly from: bigint;
  readonly to: bigint;
}

const END_OF_TIME = 0xffff_ffff_ffff_ffffn;
const MOST_MAPPINGS = 1 << 18;

export function livePieces(mappings: readonly Mapping[]): MappedPiece[] {
  if (mappings.length > MOST_MAPPINGS)
    throw new DprofError(
      `a process mapped shared memory ${mappings.length} times, and ${MOST_MAPPINGS} times are all that is followed`,
      'replay its trace alone',
    );
  const done: MappedPiece[] = [];
  /** By address; no two overlap. */
  const live: MappedPiece[] = [];
  for (const mapping of mappings) {
    const [begin, end] = [mapping.address, mapping.address + mapping.bytes];
    const first = firstEndingBehind(live, begin);
    let behind = first;
    const left: MappedPiece[] = [];
    for (; behind < live.length && live[behind].begin < end; behind++) {
      const piece = live[behind];
      if (piece.begin < begin) left.push({ ...piece, end: begin });
      if (piece.end > end) left.push({ ...piece, begin: end });
      if (piece.from < mapping.stamp)
        done.push({ ...piece, begin: Math.max(piece.begin, begin), end: Math.min(piece.end, end), to: mapping.stamp });
    }
    if (mapping.kind !== MappingKind.none) left.push({ mapping, begin, end, from: mapping.stamp, to: END_OF_TIME });
    live.splice(first, behind - first, ...left.sort((a, b) => a.begin - b.begin));
  }
  return [...done, ...live];
}

function firstEndingBehind(live: readonly MappedPiece[], address: number): number {
  let [low, high] = [0, live.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (live[middle].end <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}
