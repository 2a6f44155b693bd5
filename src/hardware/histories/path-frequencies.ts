// Stage: histories. The paths of a type, and what histories saw of each -> how frequent each path is.
//
// A history of watched slots on which two paths agree may be of either: it counts for both, in proportion to their
// frequencies, which are those that make what was seen most likely (expectation maximisation). Where no part of a path
// is known for a watch, its histories say nothing of that path.

import type { HistoryPath } from './merge-paths.js';
import type { Projection } from './projection.js';

export interface PathFrequencies {
  /** By path; they add up to 1. */
  readonly shares: readonly number[];
  /** Histories that would say as much if each told its path for certain: all of them, if each does. */
  readonly worth: number;
}

const MOST_ROUNDS = 1000,
  CLOSE_ENOUGH = 1e-9;

export function pathFrequencies(paths: readonly Pick<HistoryPath, 'parts'>[]): PathFrequencies {
  const parts = [...new Set(paths.flatMap((path) => path.parts))];
  const histories = parts.reduce((sum, part) => sum + part.histories, 0);
  const watches = paths.map((path) => new Set(path.parts.map(({ watch }) => watch)));
  const holders = parts.map((part) => paths.flatMap((path, index) => (path.parts.includes(part) ? [index] : [])));
  let shares = paths.map(() => 1 / paths.length);
  const chancesOf = (part: Projection, index: number): number[] => {
    const known = shares.reduce((sum, share, path) => sum + (watches[path].has(part.watch) ? share : 0), 0);
    const held = holders[index].reduce((sum, path) => sum + shares[path], 0);
    const chances = shares.map((share, path) => (watches[path].has(part.watch) ? 0 : share));
    for (const path of holders[index]) chances[path] = (known * shares[path]) / held;
    return chances;
  };
  for (let round = 0, change = 1; round < MOST_ROUNDS && change > CLOSE_ENOUGH; round++) {
    const next = paths.map(() => 0);
    parts.forEach((part, index) =>
      chancesOf(part, index).forEach((chance, path) => void (next[path] += (chance * part.histories) / histories)),
    );
    change = Math.max(0, ...next.map((share, path) => Math.abs(share - shares[path])));
    shares = next;
  }
  const spread = shares.reduce((sum, share) => sum + share * (1 - share), 0);
  if (paths.length < 2 || spread === 0) return { shares, worth: histories };
  const told = parts.reduce(
    (sum, part, index) =>
      sum +
      part.histories *
        chancesOf(part, index).reduce((squares, chance, path) => squares + (chance - shares[path]) ** 2, 0),
    0,
  );
  return { shares, worth: told / spread };
}
