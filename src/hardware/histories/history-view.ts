// Stage: histories -> plain data. What DProf's tables 10, 11, 13 and 14 and its figure 4 print, and the paths: exactly
// the JSON of `--format json`.

import { ENDINGS, fieldAt, type Ending, type Histories } from './histories.js';
import { mergePaths, type HistoryPath } from './merge-paths.js';

export interface CollectionRow {
  readonly type: string;
  readonly bytes: number;
  readonly historiesPerSet: number;
  readonly histories: number;
  readonly elements: number;
  /** Whole ones: every watch was taken. */
  readonly sets: number;
  /** From the first allocation that was watched to the last end. */
  readonly seconds: number;
  readonly elementsPerHistory: number | null;
  readonly historiesPerSecond: number | null;
  readonly elementsPerSecond: number | null;
  readonly allocations: number | null;
  readonly notTaken: {
    readonly busy: number;
    readonly notDrawn: number;
    readonly tooSoon: number;
    readonly alone: number;
    readonly misplaced: number;
    readonly misaligned: number;
    readonly enough: number;
  } | null;
}

/** Nanoseconds of the program's threads, summed over them. */
export interface Overhead {
  readonly runNs: number;
  /**
   * An estimate: elements times what one trap costs; an access to two watched slots is one trap, and counted as two.
   */
  readonly trapsNs: number;
  readonly armingNs: number;
  readonly releasingNs: number;
  readonly sitesNs: number;
  readonly threadsNs: number;
  readonly totalNs: number;
}

export interface CurvePoint {
  readonly sets: number;
  readonly paths: number;
}

export interface PathRow {
  readonly type: string;
  readonly histories: number;
  readonly complete: boolean;
  readonly allocatedAt: string | null;
  readonly allocatedIn: string | null;
  readonly freedAt: string | null;
  readonly freedIn: string | null;
  readonly steps: readonly {
    readonly offset: number;
    readonly field: string | null;
    readonly ip: string;
    readonly function: string | null;
    readonly site: string | null;
    readonly otherThread: boolean;
    readonly accesses: number;
    readonly sinceAllocationNs: number;
  }[];
}

export interface HistoryView {
  readonly schema: 'dprof.histories/1';
  readonly command: readonly string[];
  readonly truncated: boolean;
  readonly sampled: true;
  readonly cover: 'single' | 'pairwise';
  readonly width: number;
  readonly registers: number;
  readonly seed: number;
  readonly oneIn: number;
  readonly trapNs: number;
  readonly exit: { readonly code?: number; readonly signal?: number } | null;
  readonly lost: {
    readonly elements: number;
    readonly stray: number;
    readonly unwatchedThreads: number;
    readonly lateThreads: number;
    readonly unseenSites: number;
    readonly forkedChildren: number;
    readonly mappings: number;
    readonly mappedBytes: number;
  } | null;
  readonly endings: Readonly<Record<Ending, number>>;
  readonly overhead: Overhead | null;
  readonly collection: readonly CollectionRow[];
  readonly curves: readonly { readonly type: string; readonly points: readonly CurvePoint[] }[];
  readonly rows: readonly PathRow[];
}

const MOST_POINTS = 24;
/** dprof_histories_request_kind. */
const WAITS = { site: 1, thread: 2, arm: 3, release: 4, endThread: 5 } as const;

export function viewHistories(histories: Histories): HistoryView {
  const { run, types, rows, end } = histories;
  const endings = Object.fromEntries(
    ENDINGS.map((ending, index) => [ending, rows.ending.reduce((sum, each) => sum + (each === index ? 1 : 0), 0)]),
  ) as Record<Ending, number>;
  return {
    schema: 'dprof.histories/1',
    command: run.command,
    truncated: histories.truncated,
    sampled: true,
    cover: run.cover,
    width: run.width,
    registers: run.registers,
    seed: run.seed,
    oneIn: run.oneIn,
    trapNs: run.trapNs,
    exit: end?.exit ?? null,
    lost: end && {
      elements: end.lost,
      stray: end.stray,
      unwatchedThreads: end.unwatchedThreads,
      lateThreads: end.lateThreads,
      unseenSites: end.sitesRefused,
      forkedChildren: end.forkedChildren,
      mappings: end.mappings,
      mappedBytes: end.mappedBytes,
    },
    endings,
    overhead: sumOverhead(histories),
    collection: types.map((_, type) => collect(histories, type)),
    curves: types.map(({ name }, type) => ({ type: name, points: drawCurve(histories, type) })),
    rows: types.flatMap((_, type) => mergePaths(histories, type).map((path) => describePath(histories, type, path))),
  };
}

function collect(histories: Histories, type: number): CollectionRow {
  const { rows, types, end } = histories;
  const own = Array.from(rows.type.keys()).filter((row) => rows.type[row] === type);
  const elements = own.reduce((sum, row) => sum + rows.elements[row], 0);
  const first = own.reduce((least, row) => Math.min(least, rows.allocatedNs[row]), Infinity);
  const last = own.reduce((most, row) => Math.max(most, rows.endedNs[row]), 0);
  const seconds = own.length === 0 ? 0 : (last - first) / 1e9;
  const counts = end?.types[type];
  const perSecond = (count: number): number | null => (seconds > 0 ? count / seconds : null);
  return {
    type: types[type].name,
    bytes: types[type].bytes,
    historiesPerSet: types[type].watches.length,
    histories: own.length,
    elements,
    sets: countWholeSets(histories, type, own),
    seconds,
    elementsPerHistory: own.length === 0 ? null : elements / own.length,
    historiesPerSecond: perSecond(own.length),
    elementsPerSecond: perSecond(elements),
    allocations: counts?.allocations ?? null,
    notTaken:
      counts === undefined
        ? null
        : {
            busy: counts.busy,
            notDrawn: counts.notDrawn,
            tooSoon: counts.tooSoon,
            alone: counts.alone,
            misplaced: counts.misplaced,
            misaligned: counts.misaligned,
            enough: counts.enough,
          },
  };
}

function countWholeSets({ rows, types, run }: Histories, type: number, own: readonly number[]): number {
  const taken = new Map<number, number>();
  for (const row of own) taken.set(rows.set[row], (taken.get(rows.set[row]) ?? 0) + 1);
  const perSet = run.shareLines ? 1 : types[type].watches.length;
  return [...taken.values()].filter((count) => count === perSet).length;
}

function sumOverhead({ end, elements, run }: Histories): Overhead | null {
  if (end === null) return null;
  const { waitsNs, clocks } = end;
  const trapsNs = elements.ip.length * run.trapNs;
  const [armingNs, releasingNs, sitesNs, threadsNs] = [
    waitsNs[WAITS.arm],
    waitsNs[WAITS.release],
    waitsNs[WAITS.site],
    waitsNs[WAITS.thread] + waitsNs[WAITS.endThread],
  ];
  return {
    runNs: clocks.endNs - clocks.startNs,
    trapsNs,
    armingNs,
    releasingNs,
    sitesNs,
    threadsNs,
    totalNs: trapsNs + armingNs + releasingNs + sitesNs + threadsNs,
  };
}

/** Unique paths that the first sets find, for about evenly spaced numbers of them. */
function drawCurve(histories: Histories, type: number): CurvePoint[] {
  const { rows } = histories;
  const sets = rows.type.reduce((most, each, row) => (each === type ? Math.max(most, rows.set[row] + 1) : most), 0);
  const steps = Math.min(sets, MOST_POINTS);
  return Array.from({ length: steps }, (_, index) => Math.ceil(((index + 1) * sets) / steps)).map((count) => ({
    sets: count,
    paths: mergePaths(histories, type, count).length,
  }));
}

function describePath(histories: Histories, type: number, path: HistoryPath): PathRow {
  const site = (ip: number): string | null => {
    const place = histories.places.get(ip);
    return place === undefined || place.file === '' ? null : `${place.file}:${place.line}`;
  };
  const within = (ip: number): string | null => histories.places.get(ip)?.function || null;
  const described = histories.types[type];
  return {
    type: described.name,
    histories: path.histories,
    complete: path.isComplete,
    allocatedAt: site(path.allocatedIp),
    allocatedIn: within(path.allocatedIp),
    freedAt: path.freedIp === 0 ? null : site(path.freedIp),
    freedIn: path.freedIp === 0 ? null : within(path.freedIp),
    steps: path.steps.map((step) => ({
      offset: step.offset,
      field:
        fieldAt(described, step.offset, described.slots.find((slot) => slot.offset === step.offset)?.bytes ?? 1) ||
        null,
      ip: `0x${step.ip.toString(16)}`,
      function: within(step.ip),
      site: site(step.ip),
      otherThread: step.elsewhere,
      accesses: step.accesses / step.histories,
      sinceAllocationNs: Math.round(step.sinceAllocationNs / step.histories),
    })),
  };
}
