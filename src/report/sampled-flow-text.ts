// Stage: views -> text. Path traces, working set and address set from samples and histories as tables: each number with
// its interval, times in nanoseconds.

import type { Interval } from '../base/intervals.js';
import { LEVELS, serversOf, type LevelName, type Server } from '../replay/machine.js';
import type { AddressSet } from '../views/address-set.js';
import type { PathStep, PathTraceRow, PathTraces } from '../views/path-traces.js';
import type { SampledPathFacts, SampledStepFacts } from '../views/sampled-paths.js';
import type { WorkingSet, WorkingSetRow } from '../views/working-set.js';
import { flowNotes } from './flow-notes.js';
import { formatBrief, formatEstimate, formatEstimatedShare, formatMean, formatTime } from './format-estimate.js';
import { formatBytes, formatCount, plural } from './format-number.js';
import { formatAverage, SERVER_NAMES } from './path-traces-text.js';
import { briefPlace, briefSite } from './text-lines.js';
import type { TextSection } from './text-report.js';
import { renderTable, type TextColumn } from './text-table.js';
import { sparkline, waysTable } from './working-set-text.js';

type SampledStep = Omit<PathStep, keyof SampledStepFacts> & SampledStepFacts;
type SampledPath = Omit<PathTraceRow, 'steps'> & SampledPathFacts & { readonly steps: readonly SampledStep[] };

export function sampledPathTraces(view: PathTraces, top: number, width: number): TextSection {
  const shown = view.rows.slice(0, top) as unknown as readonly SampledPath[];
  const servers = serversOf(view.machine).filter((server) =>
    shown.some(({ steps }) => steps.some(({ hit }) => (hit?.[server] ?? 0) > 0)),
  );
  const columns: TextColumn[] = [
    { heading: 'lives', align: 'right' },
    { heading: 'histories', align: 'right', expendable: 4 },
    { heading: 'type', align: 'left', shortest: 12, expendable: 6 },
    { heading: 'time', align: 'right' },
    { heading: 'function', align: 'left', shortest: 12 },
    { heading: 'at', align: 'left', shortest: 12, expendable: 5 },
    { heading: 'core', align: 'left' },
    { heading: 'bytes', align: 'right', expendable: 2 },
    { heading: 'references', brief: 'refs', align: 'right', expendable: 3 },
    ...servers.map((server): TextColumn => ({ heading: SERVER_NAMES[server], align: 'right' })),
    { heading: 'cycles', align: 'right' },
    { heading: 'samples', align: 'right', expendable: 1 },
  ];
  return {
    title: 'path traces, SAMPLED: the ways that objects went, by how many',
    body:
      shown.length === 0
        ? 'no history is whole'
        : renderTable(
            columns,
            shown.flatMap((row, index) => [...(index === 0 ? [] : [[]]), ...pathLines(row, servers)]),
            width,
          ),
    notes: [
      ['', `${formatCount(shown.length)} of ${formatCount(view.rows.length)} distinct paths.`],
      ['lives', `objects that went this way: its share of the histories, of ${plural(view.flow.lives, 'life')}.`],
      ['time', 'of the first access, on average, since the allocation.'],
      ['core', 'change = by another thread than in the line above.'],
      [
        width >= 100 ? 'references' : 'refs',
        'accesses of an object, on average, as histories have them; then what samples at the same place say of who served them.',
      ],
      ['samples', 'that say so; none: no sample met the step.'],
      ['cycles', 'average latency, of what says its latency.'],
      ...flowNotes(view.flow),
    ],
  };
}

function pathLines(row: SampledPath, servers: readonly Server[]): string[][] {
  return [
    [
      formatEstimate(row.frequency, row.intervals.frequency),
      `${formatCount(Math.round(row.histories))} of ${formatCount(Math.round(row.ofHistories))}`,
      row.type,
      '0',
      row.allocatedBy === null ? 'allocated' : `allocated in ${row.allocatedBy}`,
      briefSite(row.allocatedAt) ?? '',
    ],
    ...row.steps.map((step) => ['', '', '', ...stepCells(step, row.frequency, servers)]),
    [
      '',
      '',
      '',
      formatTime(row.averageLifetimeNanoseconds),
      row.end === 'freed' ? (row.freedBy === null ? 'freed' : `freed in ${row.freedBy}`) : 'alive at the end',
      briefSite(row.freedAt) ?? '',
    ],
  ];
}

function stepCells(step: SampledStep, lives: number, servers: readonly Server[]): string[] {
  const hits = servers.map((server) =>
    step.hit === null ? '' : formatEstimatedShare(step.hit[server] ?? 0, step.intervals.hit?.[server]),
  );
  return [
    formatTime(step.averageTimeSinceAllocationNanoseconds),
    step.cut ? '(further steps)' : (step.function ?? '(unknown)'),
    briefPlace(step.file, step.line),
    step.coreChange ? 'change' : '',
    `${formatCount(step.offsets[0])}-${formatCount(step.offsets[1])}`,
    `~${formatAverage(step.references / lives)}`,
    ...hits,
    formatMean(step.averageLatencyCycles, step.intervals.averageLatencyCycles),
    step.samples.served === 0 ? 'none' : formatCount(step.samples.served),
  ];
}

interface SampledWorkingSetRow extends Omit<WorkingSetRow, 'averageResidentLines' | 'averageLiveObjects'> {
  readonly averageLiveObjects: number | null;
  readonly averageLifetimeNanoseconds: number | null;
  readonly averageResidentLines: Record<LevelName, number> | null;
  readonly intervals: { readonly averageResidentLines: Record<LevelName, Interval | null> };
}

export function sampledWorkingSet(view: WorkingSet, top: number, width: number): TextSection {
  const all = view.rows as unknown as readonly SampledWorkingSetRow[];
  const shown = [...all].sort((a, b) => (b.averageLiveBytes ?? 0) - (a.averageLiveBytes ?? 0)).slice(0, top);
  const columns: TextColumn[] = [
    { heading: 'type', align: 'left', shortest: 16 },
    { heading: 'working set', brief: 'bytes', align: 'right' },
    { heading: 'most bytes', brief: 'most', align: 'right', expendable: 2 },
    { heading: 'live', align: 'right' },
    { heading: 'most live', align: 'right', expendable: 3 },
    { heading: 'lifetime', align: 'right', expendable: 4 },
    { heading: 'in L1', align: 'right' },
    { heading: 'in L2', align: 'right', expendable: 6 },
    { heading: 'in LLC', align: 'right', expendable: 5 },
    { heading: 'over the run', align: 'left', expendable: 7 },
  ];
  const cells = (row: SampledWorkingSetRow): string[] => [
    row.type,
    ...(row.averageLiveObjects === null
      ? ['-', '-', '-', '-', '-']
      : [
          formatBytes(row.averageLiveBytes),
          formatBytes(row.peakLiveBytes),
          formatAverage(row.averageLiveObjects),
          formatCount(row.peakLiveObjects),
          row.averageLifetimeNanoseconds === null ? '-' : formatTime(row.averageLifetimeNanoseconds),
        ]),
    ...LEVELS.map((level) =>
      spellLines(row.averageResidentLines?.[level] ?? null, row.intervals.averageResidentLines[level]),
    ),
    sparkline(row.timeline),
  ];
  const ways = waysTable(all as unknown as readonly WorkingSetRow[], width, (frequency) => formatEstimate(frequency));
  return {
    title: 'working set, SAMPLED: what lives, and what of it lies in the caches',
    body: [
      renderTable(columns, shown.map(cells), width),
      ...(view.sampled?.simulation == null ? [] : ['', setLines(view, width)]),
      ...(ways === '' ? [] : ['', ways]),
    ].join('\n'),
    notes: [
      [
        '',
        `${formatCount(shown.length)} of ${formatCount(all.length)} types. Objects and bytes are counted, exact; lines are those of the simulation, ± between which 95 % of its repetitions lie.`,
      ],
      [width >= 100 ? 'working set' : 'bytes', 'average bytes of live objects.'],
      ['live', 'objects, on average.'],
      ['in L1', 'average lines in all caches of the level; lines of freed objects are removed.'],
    ],
  };
}

function spellLines(lines: number | null, interval: Interval | null): string {
  if (lines === null) return '-';
  const [low, high] = (interval ?? [lines, lines]).map(formatBrief);
  return low === high ? `~${formatBrief(lines)}` : `~${formatBrief(lines)} ${low}-${high}`;
}

function setLines({ sets }: WorkingSet, width: number): string {
  return renderTable(
    [
      { heading: 'level', align: 'left' },
      { heading: 'sets', align: 'right' },
      { heading: 'ways', align: 'right' },
      { heading: 'given more lines than ways, simulated', brief: 'overfull', align: 'right' },
    ],
    LEVELS.map((level) => [
      level === 'llc' ? 'LLC' : level.toUpperCase(),
      formatCount(sets[level].sets),
      formatCount(sets[level].ways),
      `~${formatCount(sets[level].overfull.length)}`,
    ]),
    width,
  );
}

export function sampledAddressSet(view: AddressSet, top: number, width: number): TextSection {
  const shown = view.rows.slice(0, top) as unknown as readonly (AddressSet['rows'][number] & {
    readonly allocatedAtNanoseconds: number;
    readonly freedAtNanoseconds: number | null;
    readonly intervals: { readonly references: Interval };
  })[];
  const columns: TextColumn[] = [
    { heading: 'address', align: 'right' },
    { heading: 'type', align: 'left', shortest: 16 },
    { heading: 'bytes', align: 'right' },
    { heading: 'references', align: 'right' },
    { heading: 'allocated or declared', brief: 'declared', align: 'left', shortest: 12 },
    { heading: 'from', align: 'right', expendable: 4 },
    { heading: 'to', align: 'right', expendable: 5 },
    { heading: 'thread', align: 'right', expendable: 2 },
  ];
  const rows = shown.map((row) => [
    row.address,
    row.type,
    formatCount(row.bytes),
    formatEstimate(row.references, row.intervals.references),
    [row.function, briefSite(row.site)].filter((part) => part !== null).join(' '),
    formatTime(row.allocatedAtNanoseconds),
    row.freedAtNanoseconds === null ? 'end' : formatTime(row.freedAtNanoseconds),
    String(row.thread),
  ]);
  return {
    title: 'address set, SAMPLED: drawn objects by references',
    body: renderTable(columns, rows, width),
    notes: [
      [
        '',
        `${shown.length} of ${formatCount(view.rows.length)} objects that were drawn, each object of a type with the same chance.`,
      ],
      ['references', 'samples of the object, each for a period.'],
      ['from', 'when it was allocated, since the run began.'],
    ],
  };
}
