// Stage: profile -> views. Path traces as a table: a path's steps under each other, from its allocation to its end, as
// in DProf's Table 1.

import { estimateOf, type Quantity } from '../base/estimate.js';
import { formatTime } from '../base/format-estimate.js';
import { formatAverage, formatCount, plural } from '../base/format-number.js';
import { serversOf, type Server } from '../contract/machine.js';
import { column, type Column, type Share, type Value } from './columns.js';
import { foldRepeats } from './fold-repeats.js';
import { SERVER_NAMES } from './server-words.js';
import { briefPlace } from './sites.js';
import type {
  PathStep,
  PathTraceRow,
  PathTraces,
  SampledPathRow,
  SampledPathStep,
  SampledPathTraces,
} from './path-rows.js';

type PathRow = PathTraceRow | SampledPathRow;

/** One line of a path: its beginning, a step, or its end. */
interface PathLine {
  /** Only on the line of the path's beginning. */
  readonly path?: PathRow;
  readonly time: string;
  readonly where: string;
  readonly at: string;
  readonly isOnOtherCore?: boolean;
  readonly step?: StepCells;
}

interface StepCells {
  readonly offsets: readonly [begin: number, end: number];
  /** The references of one object. */
  readonly references: string;
  readonly served: (server: Server) => Value;
  readonly cycles: Quantity;
  readonly samples?: number;
}

type Lines = (PathLine | readonly string[])[];

function isSampledPath(row: PathRow): row is SampledPathRow {
  return 'histories' in row;
}

/** "" where the line is not the beginning of a path, or not a step. */
const ofPath =
  <Cell>(value: (path: PathRow) => Cell) =>
  ({ path }: PathLine): Cell | string =>
    path === undefined ? '' : value(path);
const ofStep =
  <Cell>(value: (step: StepCells) => Cell) =>
  ({ step }: PathLine): Cell | string =>
    step === undefined ? '' : value(step);

export function pathLines(rows: readonly PathRow[]): Lines {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [[]]),
    ...(isSampledPath(row) ? sampledLines(row) : exactLines(row)),
  ]);
}

export function pathColumns(
  { machine, flow, sampled }: PathTraces | SampledPathTraces,
  shown: readonly PathRow[],
): Column<PathLine>[] {
  const servers = serversOf(machine)
    .filter((server) => shown.some(({ steps }) => steps.some(({ hit }) => (hit?.[server] ?? 0) > 0)))
    .map(
      (server): Column<PathLine> => ({
        // Where there is no room for all, those far from the core stay, and the cycles that they make.
        ...column('share', server, SERVER_NAMES[server], () => null, { expendable: 1 }),
        value: ofStep(({ served }) => served(server)),
      }),
    );
  const lives = plural(flow.lives, 'life');
  const [begin, middle, end] = sampled === undefined ? exactColumns(lives, flow.lives) : sampledColumns(lives);
  return [
    ...begin,
    column('words', 'core', 'core', ({ isOnOtherCore }: PathLine) => (isOnOtherCore ? 'change' : ''), {
      meaning: `change = ${sampled === undefined ? 'not on the core of' : 'by another thread than in'} the line above.`,
      isNoneLeftOut: true,
    }),
    ...middle,
    ...servers,
    ...end,
  ];
}

const typeColumn = (expendable?: number): Column<PathLine> =>
  column(
    'name',
    'type',
    'type',
    ofPath(({ type }) => type),
    { shortest: 12, ...(expendable !== undefined && { expendable }) },
  );
const timeColumn = (meaning: string): Column<PathLine> =>
  column('words', 'time', 'time', ({ time }: PathLine) => time, { meaning, align: 'right' });
const placeColumns = (shortest: number): Column<PathLine>[] => [
  column('name', 'function', 'function', ({ where }: PathLine) => where, { shortest }),
  column('name', 'at', 'at', ({ at }: PathLine) => at, { shortest: 12, expendable: 5 }),
];
const bytesColumn = (meaning?: string): Column<PathLine> =>
  column(
    'words',
    'bytes',
    'bytes',
    ofStep(({ offsets }) => offsets.map(formatCount).join('-')),
    { align: 'right', expendable: 2, ...(meaning !== undefined && { meaning }) },
  );
const referencesColumn = (meaning: string): Column<PathLine> =>
  column(
    'words',
    'references',
    'references',
    ofStep(({ references }) => references),
    { brief: 'refs', meaning, align: 'right', expendable: 3 },
  );
const cyclesColumn = (meaning: string, noteRank?: 1): Column<PathLine> =>
  column(
    'cycles',
    'cycles',
    'cycles',
    ofStep(({ cycles }) => cycles),
    { meaning, ...(noteRank !== undefined && { noteRank }) },
  );

function exactColumns(lives: string, whole: number): Column<PathLine>[][] {
  return [
    [
      column(
        'count',
        'frequency',
        'lives',
        ofPath(({ frequency }) => frequency),
        { meaning: 'objects that went this way; a stack variable lives again at each call.' },
      ),
      column(
        'share',
        'frequency/flow.lives',
        'of all',
        ofPath(({ frequency }): Share => ({ part: frequency, whole })),
        { meaning: `of ${lives}.`, expendable: 4 },
      ),
      typeColumn(),
      timeColumn(
        'of the first reference, on average, in instructions since the life began; of steps that come again, ' +
          'the first of them.',
      ),
      ...placeColumns(20),
    ],
    [
      bytesColumn('of the object that are referenced there.'),
      referencesColumn('of an object, on average; then who served them.'),
    ],
    [cyclesColumn('average latency of a reference.')],
  ];
}

function sampledColumns(lives: string): Column<PathLine>[][] {
  return [
    [
      column(
        'count',
        'frequency',
        'lives',
        ofPath((path) => (isSampledPath(path) ? estimateOf(path.frequency, path.intervals.frequency) : null)),
        { meaning: `objects that went this way: its share of the histories, of ${lives}.` },
      ),
      column('words', 'histories', 'histories', ofPath(spellHistories), { align: 'right', expendable: 4 }),
      typeColumn(6),
      timeColumn('of the first access, on average, since the allocation.'),
      ...placeColumns(12),
    ],
    [
      bytesColumn(),
      referencesColumn(
        'accesses of an object, on average, as histories have them; then what samples at the same place say of ' +
          'who served them.',
      ),
    ],
    [
      cyclesColumn('average latency, of what says its latency.', 1),
      column(
        'count',
        'samples',
        'samples',
        ofStep(({ samples }) => samples || 'none'),
        { meaning: 'that say so; none: no sample met the step.', expendable: 1 },
      ),
    ],
  ];
}

function spellHistories(path: PathRow): string {
  return isSampledPath(path)
    ? `${formatCount(Math.round(path.histories))} of ${formatCount(Math.round(path.ofHistories))}`
    : '';
}

function exactLines(row: PathTraceRow): Lines {
  const begin = row.kind === 'heap' ? undefined : `${row.kind}${row.variable === null ? '' : ` ${row.variable}`}`;
  return [
    { path: row, time: '0', where: begin ?? spellWhere('allocated', row.allocatedBy), at: briefPlace(row.allocatedAt) },
    ...foldRepeats(row.steps, isSame).flatMap(
      ({ times, items }): Lines => [
        ...(times === 1 ? [] : [['', '', '', '', `${formatCount(times)} times:`]]),
        ...items.map((steps) => exactStep(together(steps), times === 1 ? '' : '  ', row.frequency)),
      ],
    ),
    {
      time: formatCount(Math.round(row.averageLifetimeInstructions)),
      where: spellEnd(row),
      at: briefPlace(row.freedAt),
      isOnOtherCore: row.freedOnAnotherCore,
    },
  ];
}

function exactStep(step: PathStep, indent: string, lives: number): PathLine {
  return {
    time: formatCount(Math.round(step.averageTimeSinceAllocationInstructions)),
    where: indent + spellStep(step),
    at: briefPlace(step.file, step.line),
    isOnOtherCore: step.coreChange,
    step: {
      offsets: step.offsets,
      references: formatAverage(step.references / lives),
      served: (server) => ({ part: step.served[server] ?? 0, whole: step.references }),
      cycles: step.averageLatencyCycles,
    },
  };
}

function sampledLines(row: SampledPathRow): Lines {
  return [
    { path: row, time: '0', where: spellWhere('allocated', row.allocatedBy), at: briefPlace(row.allocatedAt) },
    ...row.steps.map((step) => sampledStep(step, row.frequency)),
    { time: formatTime(row.averageLifetimeNanoseconds), where: spellEnd(row), at: briefPlace(row.freedAt) },
  ];
}

function sampledStep(step: SampledPathStep, lives: number): PathLine {
  const { hit, intervals, averageLatencyCycles: mean } = step;
  return {
    time: formatTime(step.averageTimeSinceAllocationNanoseconds),
    where: spellStep(step),
    at: briefPlace(step.file, step.line),
    isOnOtherCore: step.coreChange,
    step: {
      offsets: step.offsets,
      references: `~${formatAverage(step.references / lives)}`,
      served: (server) => (hit === null ? '' : estimateOf(hit[server] ?? 0, intervals.hit?.[server])),
      cycles: mean === null ? null : estimateOf(mean, intervals.averageLatencyCycles),
      samples: step.samples.served,
    },
  };
}

function spellWhere(what: string, name: string | null): string {
  return name === null ? what : `${what} in ${name}`;
}

function spellEnd({ end, freedBy }: Pick<PathTraceRow, 'end' | 'freedBy'>): string {
  return end === 'freed' ? spellWhere('freed', freedBy) : end === 'alive' ? 'alive at the end' : 'ended';
}

function spellStep({ cut, function: name }: Pick<PathStep, 'cut' | 'function'>): string {
  return cut ? '(further steps)' : (name ?? '(unknown)');
}

function isSame(a: PathStep, b: PathStep): boolean {
  return (
    a.function === b.function &&
    a.file === b.file &&
    a.line === b.line &&
    a.coreChange === b.coreChange &&
    a.cut === b.cut
  );
}

/** Several steps as one, at the time of the first. */
function together([first, ...others]: readonly PathStep[]): PathStep {
  if (others.length === 0) return first;
  const all = [first, ...others];
  const sum = (value: (step: PathStep) => number): number => all.reduce((total, step) => total + value(step), 0);
  const references = sum((step) => step.references);
  return {
    ...first,
    offsets: [Math.min(...all.map(({ offsets }) => offsets[0])), Math.max(...all.map(({ offsets }) => offsets[1]))],
    references,
    served: Object.fromEntries(
      (Object.keys(first.served) as Server[]).map((server) => [server, sum(({ served }) => served[server] ?? 0)]),
    ),
    averageLatencyCycles: sum((step) => step.averageLatencyCycles * step.references) / references,
  };
}
