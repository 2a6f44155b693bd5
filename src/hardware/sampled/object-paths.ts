// Stage: histories + samples -> profile. The paths that histories were merged to, with what samples say of each step:
// kinds, who served, how long; and how often objects of the type take each.

import type { Histories, Place } from '../histories/histories.js';
import { mergePaths, type HistoryPath } from '../histories/merge-paths.js';
import { pathFrequencies } from '../histories/path-frequencies.js';
import { isWhole } from '../histories/projection.js';
import type { Met, MetSamples } from './met-samples.js';

export interface ObjectStep {
  readonly offset: number;
  readonly bytes: number;
  readonly place: Place;
  /** On another core than the one that allocated it: by another thread. */
  readonly elsewhere: boolean;
  /** Accesses of an object, on average. */
  readonly accesses: number;
  /** Time of the first of them, in nanoseconds. */
  readonly time: number;
  /** null: no sample met it. */
  readonly met: Met | null;
}

export interface ObjectPath {
  readonly type: string;
  readonly allocatedAt: Place | undefined;
  /** undefined: never freed. */
  readonly freedAt: Place | undefined;
  readonly isFreed: boolean;
  readonly steps: readonly ObjectStep[];
  /**
   * That tell it from the type's other paths; histories that may be of several count for each as far as it is likely.
   */
  readonly histories: number;
  /** Histories of all paths of the type. */
  readonly ofHistories: number;
  /** Objects that take it: its frequency, of as many as were allocated. */
  readonly lives: number;
  readonly averageLifetimeNs: number;
}

const NOWHERE: Place = { ip: '0', function: '', within: '', file: '', line: 0, column: 0, module: '', offset: 0 };

/** `allocationsOf`: by type's name, as the interposer counted them; undefined: it did not. */
export function listObjectPaths(
  histories: Histories,
  met: MetSamples,
  allocationsOf: (type: string) => number | undefined,
): ObjectPath[] {
  return histories.types.flatMap((described, type) => {
    const merged = mergePaths(histories, type);
    const { shares, worth: ofHistories } = pathFrequencies(merged);
    const allocations =
      allocationsOf(described.name) ?? histories.end?.types[type]?.allocations ?? Math.round(ofHistories);
    const lifetimes = meanLifetimes(histories, type);
    return merged.map(
      (path, index): ObjectPath => ({
        type: described.name,
        allocatedAt: histories.places.get(path.allocatedIp),
        freedAt: path.freedIp === 0 ? undefined : histories.places.get(path.freedIp),
        isFreed: path.freedIp !== 0,
        steps: path.steps.map((step) => describeStep(histories, type, step, met)),
        histories: shares[index] * ofHistories,
        ofHistories,
        lives: allocations * shares[index],
        averageLifetimeNs: lifetimes.get(`${path.allocatedIp}:${path.freedIp}`) ?? 0,
      }),
    );
  });
}

function describeStep(
  histories: Histories,
  type: number,
  { offset, ip, elsewhere, accesses, histories: seen, sinceAllocationNs }: HistoryPath['steps'][number],
  met: MetSamples,
): ObjectStep {
  const { name, slots } = histories.types[type];
  const bytes = slots.find((slot) => slot.offset === offset)?.bytes ?? 1;
  const place = histories.places.get(ip) ?? NOWHERE;
  return {
    offset,
    bytes,
    place,
    elsewhere,
    accesses: accesses / seen,
    time: sinceAllocationNs / seen,
    met: met.at(name, offset, bytes, place),
  };
}

/** By where objects are allocated and freed, as paths are. */
function meanLifetimes(histories: Histories, type: number): Map<string, number> {
  const { rows } = histories;
  const sums = new Map<string, { ns: number; histories: number }>();
  for (let row = 0; row < rows.type.length; row++) {
    if (rows.type[row] !== type || !isWhole(histories, row)) continue;
    const key = `${rows.allocatedIp[row]}:${rows.endedIp[row]}`;
    const sum = sums.get(key) ?? { ns: 0, histories: 0 };
    sums.set(key, {
      ns: sum.ns + Math.max(0, rows.endedNs[row] - rows.allocatedNs[row]),
      histories: sum.histories + 1,
    });
  }
  return new Map(Array.from(sums, ([key, { ns, histories: count }]) => [key, ns / count]));
}

/** By type: where in a cache line its objects begin, each with its share of the histories. */
export function lineOffsets({ rows, types }: Histories, lineBytes: number): Map<string, Map<number, number>> {
  const shares = new Map(types.map(({ name }) => [name, new Map<number, number>()]));
  const counts = new Map<number, number>();
  for (const type of rows.type) counts.set(type, (counts.get(type) ?? 0) + 1);
  rows.type.forEach((type, row) => {
    const own = shares.get(types[type].name)!;
    const begin = (rows.address[row] + rows.element[row]) % lineBytes;
    own.set(begin, (own.get(begin) ?? 0) + 1 / counts.get(type)!);
  });
  return shares;
}
