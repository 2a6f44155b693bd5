// Stage: profile -> views. Who takes whose line: per level, type of the reference that took, type of the one that had
// brought the line, and in which sets; one view of evictions, one of invalidations.

import type { Profile, TakerColumns } from '../profile/profile.js';
import { LEVELS, type LevelName } from '../replay/machine.js';
import { setBinsOf, type SetBins } from '../replay/result.js';
import { wrapRows } from './envelope.js';
import type { View } from './view.js';

export interface SetCount {
  /** "12", or "12-15" where a bin has several sets. */
  readonly sets: string;
  readonly count: number;
}

export interface TakerRow {
  readonly taker: string;
  readonly owner: string;
  readonly level: LevelName;
  readonly count: number;
  readonly sets: {
    /** Sets of the bins in which it happened: exact where a bin is one set, else at most these. */
    readonly involved: number;
    readonly of: number;
    readonly perBin: number;
    /** At most four, worst first. */
    readonly worst: readonly SetCount[];
  };
  /** Lines by bin of consecutive sets. */
  readonly bins: readonly number[];
}

export type TakerView = View<TakerRow>;

const MOST_WORST = 4;

export function buildEvictions(profile: Profile): TakerView {
  return wrapRows(profile, 'evictions', takerRows(profile, profile.evictions));
}

export function buildInvalidations(profile: Profile): TakerView {
  return wrapRows(profile, 'invalidations', takerRows(profile, profile.invalidations));
}

/** By level, then most lines first, then by names. */
function takerRows({ types, strings, machine }: Profile, columns: TakerColumns): TakerRow[] {
  const setBins = LEVELS.map((level) => setBinsOf(machine[level], machine.lineBytes));
  const cells = new Map<string, { level: number; taker: number; owner: number; bins: number[] }>();
  columns.level.forEach((level, row) => {
    const [taker, owner] = [columns.taker[row], columns.owner[row]];
    const key = `${level} ${taker} ${owner}`;
    let cell = cells.get(key);
    if (cell === undefined)
      cells.set(key, (cell = { level, taker, owner, bins: new Array<number>(setBins[level].bins).fill(0) }));
    cell.bins[columns.bin[row]] += columns.lines[row];
  });
  const rows = [...cells.values()].map((cell) => ({
    ...cell,
    count: cell.bins.reduce((sum, count) => sum + count, 0),
  }));
  // Types are numbered by name.
  rows.sort((a, b) => a.level - b.level || b.count - a.count || a.taker - b.taker || a.owner - b.owner);
  return rows.map(({ level, taker, owner, count, bins }) => ({
    taker: strings[types.name[taker]],
    owner: strings[types.name[owner]],
    level: LEVELS[level],
    count,
    sets: describeSets(bins, setBins[level]),
    bins,
  }));
}

function describeSets(bins: readonly number[], { sets, setsPerBin }: SetBins): TakerRow['sets'] {
  const met = [...bins.keys()].filter((bin) => bins[bin] > 0);
  const last = (bin: number): number => Math.min(sets, (bin + 1) * setsPerBin) - 1;
  const first = (bin: number): number => bin * setsPerBin;
  return {
    involved: met.reduce((sum, bin) => sum + last(bin) - first(bin) + 1, 0),
    of: sets,
    perBin: setsPerBin,
    worst: met
      .sort((a, b) => bins[b] - bins[a] || a - b)
      .slice(0, MOST_WORST)
      .map((bin) => ({
        sets: first(bin) === last(bin) ? `${first(bin)}` : `${first(bin)}-${last(bin)}`,
        count: bins[bin],
      })),
  };
}
