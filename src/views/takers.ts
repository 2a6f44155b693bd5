// Stage: profile -> views. The takers of lines: per level, type of the reference that took, type of the one that had
// brought the line, and sets; one view of evictions, one of invalidations.

import { formatCount } from '../base/format-number.js';
import type { Profile, TakerColumns } from '../profile/profile.js';
import { LEVELS, type LevelName } from '../contract/machine.js';
import { setBinsOf, type SetBins } from '../contract/result.js';
import { LEVEL_NAMES } from './class-names.js';
import { column, count, name, type Column } from './columns.js';
import { wrapRows } from './envelope.js';
import type { View, ViewOptions } from './view.js';
import type { ViewDefinition } from './view-definition.js';

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

export function buildEvictions(profile: Profile, { level }: ViewOptions = {}): TakerView {
  return wrapRows(profile, 'evictions', takerRows(profile, profile.evictions, level), { level });
}

export function buildInvalidations(profile: Profile, { level }: ViewOptions = {}): TakerView {
  return wrapRows(profile, 'invalidations', takerRows(profile, profile.invalidations, level), { level });
}

/** By level, then most lines first, then by names. `only`: the level that is asked for. */
function takerRows({ types, strings, machine }: Profile, columns: TakerColumns, only?: LevelName): TakerRow[] {
  const setBins = LEVELS.map((level) => setBinsOf(machine[level], machine.lineBytes));
  const cells = new Map<string, { level: number; taker: number; owner: number; bins: number[] }>();
  columns.level.forEach((level, row) => {
    if (only !== undefined && LEVELS[level] !== only) return;
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

type TakerKind = 'evictions' | 'invalidations';

const WORDS = {
  evictions: {
    title: 'evictions: whose lines leave the caches, and for whom',
    ofAll: "of the level's evictions.",
    taker: 'the reference that needed room.',
  },
  invalidations: {
    title: 'invalidations: whose lines the stores of other cores remove',
    ofAll: 'of all invalidations.',
    taker: 'the store.',
  },
} as const;

/** The number that the rows are shares of. */
function allOf({ totals }: TakerView, kind: TakerKind, level: LevelName): number {
  return kind === 'evictions' ? totals.evictions[level] : totals.invalidations;
}

/** `level`: the one that a page shows. */
export function takerColumns(view: TakerView, kind: TakerKind, level: LevelName = 'l1'): Column<TakerRow>[] {
  const words = WORDS[kind];
  const firsts = new Set(LEVELS.map((level) => view.rows.find((row) => row.level === level)));
  return [
    column('words', 'level', 'level', (row: TakerRow) => (firsts.has(row) ? LEVEL_NAMES[row.level] : ''), {
      where: 'text',
    }),
    count('lines', 'count'),
    column(
      'share',
      kind === 'evictions' ? `count/totals.evictions.${level}` : 'count/totals.invalidations',
      'of all',
      (row: TakerRow) => ({ part: row.count, whole: allOf(view, kind, row.level) }),
      { meaning: words.ofAll, expendable: 1 },
    ),
    name('taken by', 'taker', { meaning: words.taker, shortest: 16 }, 'type'),
    name('taken from', 'owner', { meaning: 'the reference that had brought the line.', shortest: 16 }, 'type'),
    count('sets', 'sets.involved', {
      meaning: 'sets in which it happened; where a bin has several sets, at most these',
      where: 'page',
    }),
    column('of', 'sets', 'sets', ({ sets }: TakerRow) => ({ part: sets.involved, whole: sets.of }), {
      meaning: 'sets in which it happened, of all sets of the level.',
      where: 'text',
      expendable: 2,
    }),
    column('words', 'worst', 'worst sets', spellWorst, {
      meaning: 'with the lines that left there.',
      shortest: 16,
      width: 30,
      expendable: 3,
    }),
  ];
}

function spellWorst({ sets }: TakerRow): string {
  return sets.worst.map((worst) => `${worst.sets}: ${formatCount(worst.count)}`).join(', ');
}

/** `top` rows of each level. */
function takerLines(rows: readonly TakerRow[], top: number): (TakerRow | readonly string[])[] {
  return LEVELS.flatMap((level) => {
    const own = rows.filter((row) => row.level === level);
    const shown = own.slice(0, top);
    return own.length > top ? [...shown, ['', '', '', `… ${formatCount(own.length - top)} more pairs`]] : shown;
  });
}

function takers(
  kind: TakerKind,
  build: (profile: Profile, options?: ViewOptions) => TakerView,
): ViewDefinition<TakerView> {
  return {
    build,
    filters: ['type', 'minShare'],
    hasLevels: true,
    columns: (view) => takerColumns(view, kind),
    shareOf: ({ count: part, level }, view) => part / (allOf(view, kind, level) || Infinity),
    table(view, top) {
      const { totals, rows } = view;
      const sums =
        kind === 'evictions'
          ? LEVELS.map((level) => `${formatCount(totals.evictions[level])} of the ${LEVEL_NAMES[level]}`).join(', ')
          : formatCount(totals.invalidations);
      return {
        title: WORDS[kind].title,
        columns: takerColumns(view, kind),
        lines: takerLines(rows, top),
        empty: `no ${kind}`,
        notes: [`${kind} in all: ${sums}.`],
      };
    },
  };
}

export const evictions = takers('evictions', buildEvictions);
export const invalidations = takers('invalidations', buildInvalidations);
