// Stage: profile -> views. The working set: per type how much of it lives, how long, which lines of it lie in the
// caches and in which sets, and the paths that its objects took.

import { formatCount } from '../base/format-number.js';
import { NO_INDEX } from '../base/ids.js';
import type { Flow } from '../profile/flow.js';
import type { Profile } from '../profile/profile.js';
import { PATH_ENDS } from '../contract/flow-result.js';
import { LEVELS } from '../contract/machine.js';
import { CounterSums, perLevel, rankSums, sortRanked, sumBy, usualSort } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { flowNotes, flowTotals, requireFlow } from './flow-facts.js';
import { summariseLives, type TypeLives } from './object-lives.js';
import { firstSteps } from './path-traces.js';
import { buildLevelSets, TypeSetTable, type TypeSets } from './set-use.js';
import { spellFunction } from './sites.js';
import { buildTimelines, TIMELINE_PARTS } from './timeline.js';
import { sampledWorkingSetRows } from './sampled-flow-views.js';
import type { ViewDefinition, ViewTable } from './view-definition.js';
import { histogramTable, sampledSetTable, setTable, wayTable, workingSetColumns } from './working-set-tables.js';
import type {
  PerLevel,
  SampledWorkingSet,
  SampledWorkingSetRow,
  WalkedPath,
  WorkingSet,
  WorkingSetRow,
} from './working-set-rows.js';

/** By estimated cycles, then L1 misses, then name; `(freed)` last. */
export function buildWorkingSet(profile: Profile): WorkingSet {
  const flow = requireFlow(profile, 'working set');
  const { types, strings, tallies, totals } = profile;
  const [lives, timelines, sets, resident, paths] = [
    summariseLives(profile),
    buildTimelines(profile),
    new TypeSetTable(profile, flow),
    new Resident(profile, flow),
    walkedPaths(profile, flow),
  ];
  const sums = sumBy(tallies, (row) => tallies.type[row]);
  const ranked = Array.from(types.name.keys())
    .filter((type) => lives[type].objects > 0 || sets.has(type) || resident.has(type))
    .map((type) => ({ row: type, rank: rankSums(sums.get(type) ?? new CounterSums(), strings[types.name[type]]) }));
  const rows = sortRanked(ranked, usualSort(profile)).map((type) =>
    rowOf(
      strings[types.name[type]],
      lives[type],
      resident.of(type),
      sets.of(type),
      paths.get(type) ?? [],
      timelines[type],
    ),
  );
  const freed = rowOf(
    '(freed)',
    NOTHING_LIVES,
    resident.ofFreed(),
    sets.of(types.name.length),
    [],
    new Float64Array(TIMELINE_PARTS),
  );
  return {
    ...wrapRows(profile, 'working-set', [...rows, freed]),
    flow: flowTotals(flow),
    sets: buildLevelSets(profile, flow),
    timelinePartInstructions: totals.instructions / TIMELINE_PARTS,
  };
}

const NOTHING_LIVES: TypeLives = {
  objects: 0,
  lives: 0,
  lifetime: 0,
  lifetimes: [],
  peak: 0,
  peakBytes: 0,
  averageObjects: 0,
  averageBytes: 0,
  bounce: false,
  writeShared: false,
  frees: 0,
  freesOnOtherCore: 0,
};

type Lines = Pick<WorkingSetRow, 'averageResidentLines' | 'averageResidentBytes' | 'averageFreedLines'>;

function rowOf(
  type: string,
  life: TypeLives,
  lines: Lines,
  sets: PerLevel<TypeSets>,
  paths: readonly WalkedPath[],
  timeline: Float64Array,
): WorkingSetRow {
  return {
    type,
    objects: life.objects,
    lives: life.lives,
    averageLiveObjects: life.averageObjects,
    peakLiveObjects: life.peak,
    averageLiveBytes: life.averageBytes,
    peakLiveBytes: life.peakBytes,
    averageLifetimeInstructions: life.lives === 0 ? null : life.lifetime / life.lives,
    lifetimesLog2: life.lifetimes,
    ...lines,
    linesPerSet: perLevel((level) => sets[level].linesPerSet),
    objectsPerSet: perLevel((level) => sets[level].objectsPerSet),
    missesPerSet: perLevel((level) => sets[level].missesPerSet),
    unusedSets: perLevel((level) => sets[level].unusedSets),
    reachableSets: perLevel((level) => sets[level].reachableSets),
    paths,
    timeline: [...timeline],
  };
}

/** Lines in the caches on average over replay time, all units of a level together. */
class Resident {
  readonly #alive: Float64Array[];
  readonly #freed: Float64Array[];

  constructor(
    private readonly profile: Profile,
    { residency }: Flow,
  ) {
    const { types, totals } = profile;
    [this.#alive, this.#freed] = [residency.lineTime, residency.freedLineTime].map((times) => {
      const averages = LEVELS.map(() => new Float64Array(types.name.length));
      if (totals.instructions > 0)
        times.forEach(
          (time, row) => (averages[residency.level[row]][residency.type[row]] += time / totals.instructions),
        );
      return averages;
    });
  }

  has(type: number): boolean {
    return [...this.#alive, ...this.#freed].some((lines) => lines[type] > 0);
  }

  of(type: number): Lines {
    return this.#spell(
      (level) => this.#alive[level][type],
      (level) => this.#freed[level][type],
    );
  }

  ofFreed(): Lines {
    return this.#spell(
      (level) => this.#freed[level].reduce((sum, lines) => sum + lines, 0),
      () => 0,
    );
  }

  #spell(alive: (level: number) => number, freed: (level: number) => number): Lines {
    return {
      averageResidentLines: perLevel((level) => alive(LEVELS.indexOf(level))),
      averageResidentBytes: perLevel((level) => alive(LEVELS.indexOf(level)) * this.profile.machine.lineBytes),
      averageFreedLines: perLevel((level) => freed(LEVELS.indexOf(level))),
    };
  }
}

/** By type; most frequent first. */
function walkedPaths(profile: Profile, flow: Flow): Map<number, WalkedPath[]> {
  const { paths, steps } = flow;
  const firstStep = firstSteps(flow);
  const byType = new Map<number, Map<string, { path: WalkedPath; frequency: number }>>();
  paths.type.forEach((type, row) => {
    const functions: (string | null)[] = [];
    for (let step = firstStep[row]; step < firstStep[row] + paths.steps[row]; step++) {
      const name = steps.site[step] === NO_INDEX ? null : spellFunction(profile, steps.site[step]);
      if (functions.length === 0 || functions[functions.length - 1] !== name) functions.push(name);
    }
    let own = byType.get(type);
    if (own === undefined) byType.set(type, (own = new Map()));
    const path = { functions, end: PATH_ENDS[paths.end[row]], frequency: 0 };
    const key = JSON.stringify([functions, path.end]);
    const known = own.get(key);
    if (known === undefined) own.set(key, { path, frequency: paths.lives[row] });
    else known.frequency += paths.lives[row];
  });
  return new Map(
    Array.from(byType, ([type, own]) => [
      type,
      [...own.values()]
        .sort((a, b) => b.frequency - a.frequency)
        .map(({ path, frequency }) => ({ ...path, frequency })),
    ]),
  );
}

type AnyRow = WorkingSetRow | SampledWorkingSetRow;

const byLiveBytes = (a: AnyRow, b: AnyRow): number => (b.averageLiveBytes ?? 0) - (a.averageLiveBytes ?? 0);

export const workingSet: ViewDefinition<WorkingSet, SampledWorkingSet> = {
  build: buildWorkingSet,
  needs: 'flow',
  columns: workingSetColumns,
  sampled: { from: 'samples', rows: sampledWorkingSetRows },
  /** The paths in one column: "3 x make > use | freed; 1 x make | alive". */
  csvRows: ({ rows }: { readonly rows: readonly AnyRow[] }) =>
    rows.map(({ paths, ...row }) => ({
      ...row,
      paths: paths
        .map(
          ({ functions, end, frequency }) =>
            `${frequency} x ${functions.map((name) => name ?? '?').join(' > ')} | ${end}`,
        )
        .join('; '),
    })),
  table(view, top) {
    return view.sampled === undefined ? exactTable(view, top) : sampledTable(view, top);
  },
};

function exactTable(view: WorkingSet, top: number): ViewTable<unknown> {
  const named = view.rows.filter(({ type }) => type !== '(freed)');
  const freed = view.rows.filter(
    (row) => row.type === '(freed)' && LEVELS.some((level) => row.averageResidentLines[level] > 0),
  );
  // The types with the most live bytes fill the caches, so the text shows them first. The JSON begins with the types
  // that miss most.
  const shown = (view.sort === undefined ? [...named].sort(byLiveBytes) : named).slice(0, top);
  return {
    title: 'working set: what lives, and what of it lies in the caches',
    columns: workingSetColumns(view),
    lines: [...shown, ...freed],
    further: [
      setTable(view, named),
      ...(named.length === 1 ? [histogramTable(named[0], view)] : []),
      wayTable(named, false),
    ],
    notes: [`${formatCount(shown.length)} of ${formatCount(named.length)} types.`],
    remarks: flowNotes(view.flow),
  };
}

function sampledTable(view: SampledWorkingSet, top: number): ViewTable<unknown> {
  const shown = (view.sort === undefined ? [...view.rows].sort(byLiveBytes) : view.rows).slice(0, top);
  return {
    title: 'working set, SAMPLED: what lives, and what of it lies in the caches',
    columns: workingSetColumns(view),
    lines: shown,
    further: [...(view.sampled.simulation === null ? [] : [sampledSetTable(view)]), wayTable(view.rows, true)],
    notes: [
      `${formatCount(shown.length)} of ${formatCount(view.rows.length)} types. Objects and bytes are counted, ` +
        'exact; lines are those of the simulation, ± between which 95 % of its repetitions lie.',
    ],
  };
}
