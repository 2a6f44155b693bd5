// Stage: trace -> replay. The mappings of several processes -> the memory that they share: each of its bytes gets one
// address in the replay, wherever each process sees it (docs/replay/processes.md).

import { DprofError } from '../base/dprof-error.js';
import { MappingKind } from '../trace/layout.js';
import type { Mapping } from '../trace/mapping-chunk.js';
import { MOST_SPACES, SPACE_BYTES, type SharedPieces } from '../contract/input.js';
import { livePieces, type MappedPiece } from './mapped-pieces.js';

/** Bytes that more than one process mapped have the low bits of the address at which they were mapped first. */
const KEPT_ADDRESS = 2 ** 32;
const MOST_PIECES = 1 << 18;

/** One mapping of memory that several processes mapped. */
interface SharedMapping {
  readonly mapping: Mapping;
  readonly process: number;
  /** The address in the replay. */
  at: number;
  wholeAt: number;
  wholeBytes: number;
}

/** By process, from the mappings of each. */
export function sharePieces(mappings: readonly (readonly Mapping[])[]): SharedPieces[] {
  const shared = new Map<Mapping, SharedMapping>();
  const placer = new Placer(mappings.length);
  for (const ones of byMemory(mappings)) {
    placer.place(ones);
    joinWholes(ones);
    for (const one of ones) shared.set(one.mapping, one);
  }
  return mappings.map((own) => freeze(own, shared));
}

/**
 * All mappings of each piece of memory that more than one process mapped; the first one first, by stamp, process and
 * address.
 */
function byMemory(mappings: readonly (readonly Mapping[])[]): SharedMapping[][] {
  const memory = new Map<string, SharedMapping[]>();
  mappings.forEach((own, process) => {
    for (const mapping of own) {
      if (mapping.kind === MappingKind.none) continue;
      const name = `${mapping.kind} ${mapping.device} ${mapping.inode}`;
      const one = { mapping, process, at: 0, wholeAt: 0, wholeBytes: 0 };
      const ones = memory.get(name);
      if (ones) ones.push(one);
      else memory.set(name, [one]);
    }
  });
  const shared = [...memory.values()].filter((ones) => ones.some(({ process }) => process !== ones[0].process));
  for (const ones of shared) ones.sort(byFirst);
  return shared.sort(([a], [b]) => byFirst(a, b));
}

function byFirst(a: SharedMapping, b: SharedMapping): number {
  const { mapping: first } = a;
  const { mapping: second } = b;
  return first.stamp < second.stamp
    ? -1
    : first.stamp > second.stamp
      ? 1
      : a.process - b.process || first.address - second.address;
}

/** Gives memory addresses behind the spaces of all processes. */
class Placer {
  private readonly first: number;
  /** Taken, ascending. */
  private readonly taken: { begin: number; end: number }[] = [];
  /** By low bits of an address: where to try next. */
  private readonly next = new Map<number, number>();

  constructor(processes: number) {
    this.first = processes * SPACE_BYTES;
  }

  place(ones: readonly SharedMapping[]): void {
    const [{ mapping: first }] = ones;
    const from = ones.reduce((least, { mapping }) => Math.min(least, mapping.offset), Infinity);
    const to = ones.reduce((most, { mapping }) => Math.max(most, mapping.offset + mapping.bytes), 0);
    const low = (((first.address - first.offset + from) % KEPT_ADDRESS) + KEPT_ADDRESS) % KEPT_ADDRESS;
    let begin = this.next.get(low) ?? this.first + low;
    for (
      let other = this.overlapping(begin, begin + to - from);
      other;
      other = this.overlapping(begin, begin + to - from)
    ) {
      begin += Math.ceil((other.end - begin) / KEPT_ADDRESS) * KEPT_ADDRESS;
    }
    if (begin + to - from >= MOST_SPACES * SPACE_BYTES) {
      throw new DprofError(
        'the processes share more memory than addresses can name',
        `replay fewer of them together: ${MOST_SPACES} address spaces of 2^47 bytes are all there are`,
      );
    }
    this.next.set(low, begin);
    this.taken.splice(this.firstBehind(begin), 0, { begin, end: begin + to - from });
    for (const one of ones) one.at = begin + one.mapping.offset - from;
  }

  private overlapping(begin: number, end: number): { begin: number; end: number } | undefined {
    const behind = this.firstBehind(begin);
    return [this.taken[behind - 1], this.taken[behind]].find(
      (other) => other !== undefined && other.begin < end && begin < other.end,
    );
  }

  private firstBehind(begin: number): number {
    let [low, high] = [0, this.taken.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.taken[middle].begin <= begin) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Mappings that overlap are of one object, which the first of them makes. */
function joinWholes(ones: readonly SharedMapping[]): void {
  const byAddress = ones.map((one, rank) => ({ one, rank })).sort((a, b) => a.one.at - b.one.at);
  for (let index = 0; index < byAddress.length; ) {
    const begin = byAddress[index].one.at;
    let end = begin;
    let first = byAddress[index];
    for (; index < byAddress.length && (byAddress[index].one.at < end || end === begin); index++) {
      const { one, rank } = byAddress[index];
      end = Math.max(end, one.at + one.mapping.bytes);
      if (rank < first.rank) first = byAddress[index];
    }
    first.one.wholeAt = begin;
    first.one.wholeBytes = end - begin;
  }
}

/** A process's pieces, cut where any of them begins or ends. */
function freeze(own: readonly Mapping[], shared: ReadonlyMap<Mapping, SharedMapping>): SharedPieces {
  const pieces = livePieces(own).filter(({ mapping }) => shared.has(mapping));
  const bounds = [...new Set(pieces.flatMap(({ begin, end }) => [begin, end]))].sort((a, b) => a - b);
  const at = new Map(bounds.map((bound, index) => [bound, index]));
  const cut: MappedPiece[] = [];
  for (const piece of pieces) {
    for (let index = at.get(piece.begin)!; bounds[index] < piece.end; index++)
      cut.push({ ...piece, begin: bounds[index], end: bounds[index + 1] });
    if (cut.length > MOST_PIECES)
      throw new DprofError(
        `a process mapped shared memory in more than ${MOST_PIECES} pieces`,
        'replay its trace alone',
      );
  }
  cut.sort((a, b) => a.begin - b.begin || (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const of = ({ mapping }: MappedPiece): SharedMapping => shared.get(mapping)!;
  return {
    begin: Float64Array.from(cut, ({ begin }) => begin),
    end: Float64Array.from(cut, ({ end }) => end),
    from: BigUint64Array.from(cut, ({ from }) => from),
    to: BigUint64Array.from(cut, ({ to }) => to),
    target: Float64Array.from(cut, (piece) => of(piece).at + piece.begin - piece.mapping.address),
    mappedAt: Float64Array.from(cut, ({ mapping }) => mapping.address),
    wholeAt: Float64Array.from(cut, (piece) => of(piece).wholeAt),
    wholeBytes: Float64Array.from(cut, (piece) => of(piece).wholeBytes),
  };
}
