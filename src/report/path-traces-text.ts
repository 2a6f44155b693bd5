// Stage: views -> text. Path traces as a table: a path's steps under each other, from its allocation to its end, as in
// DProf's Table 1.

import { serversOf, type Server } from '../replay/machine.js';
import type { PathStep, PathTraceRow, PathTraces } from '../views/path-traces.js';
import { flowNotes } from './flow-notes.js';
import { foldRepeats } from './fold-repeats.js';
import { formatCount, formatCycles, formatShare, plural } from './format-number.js';
import { briefPlace, briefSite } from './text-lines.js';
import type { TextSection } from './text-report.js';
import { renderTable, type TextColumn } from './text-table.js';

export const SERVER_NAMES: Readonly<Record<Server, string>> = {
  l1: 'L1',
  l2: 'L2',
  llc: 'LLC',
  cache: 'other cache',
  memory: 'memory',
  'remote-cache': 'remote cache',
  'remote-memory': 'remote memory',
};

const before: readonly TextColumn[] = [
  { heading: 'lives', align: 'right' },
  { heading: 'of all', align: 'right', expendable: 4 },
  { heading: 'type', align: 'left', shortest: 12 },
  { heading: 'time', align: 'right' },
  { heading: 'function', align: 'left', shortest: 20 },
  { heading: 'at', align: 'left', shortest: 12, expendable: 5 },
  { heading: 'core', align: 'left' },
  { heading: 'bytes', align: 'right', expendable: 2 },
  { heading: 'references', brief: 'refs', align: 'right', expendable: 3 },
];
const cycles: TextColumn = { heading: 'cycles', align: 'right' };

export function pathTracesSection(view: PathTraces, top: number, width: number): TextSection {
  const shown = view.rows.slice(0, top);
  const servers = serversOf(view.machine).filter((server) =>
    shown.some(({ steps }) => steps.some(({ hit }) => (hit[server] ?? 0) > 0)),
  );
  const columns = [
    ...before,
    ...servers.map((server): TextColumn => ({ heading: SERVER_NAMES[server], align: 'right' })),
    cycles,
  ];
  const lines = shown.flatMap((row, index) => [...(index === 0 ? [] : [[]]), ...pathLines(row, view, servers)]);
  return {
    title: 'path traces: the ways that objects went, by how many',
    body: shown.length === 0 ? 'no object lived' : renderTable(columns, lines, width),
    notes: [
      ['', `${formatCount(shown.length)} of ${formatCount(view.rows.length)} distinct paths.`],
      ['lives', 'objects that went this way; a stack variable lives again at each call.'],
      ['of all', `of ${plural(view.flow.lives, 'life')}.`],
      [
        'time',
        'of the first reference, on average, in instructions since the life began; of steps that come again, the first of them.',
      ],
      ['core', 'change = not on the core of the line above.'],
      ['bytes', 'of the object that are referenced there.'],
      [width >= 100 ? 'references' : 'refs', 'of an object, on average; then who served them.'],
      ['cycles', 'average latency of a reference.'],
      ...flowNotes(view.flow),
    ],
  };
}

function pathLines(row: PathTraceRow, { flow }: PathTraces, servers: readonly Server[]): string[][] {
  const begin =
    row.kind === 'heap'
      ? row.allocatedBy === null
        ? 'allocated'
        : `allocated in ${row.allocatedBy}`
      : `${row.kind}${row.variable === null ? '' : ` ${row.variable}`}`;
  const end =
    row.end === 'freed'
      ? row.freedBy === null
        ? 'freed'
        : `freed in ${row.freedBy}`
      : row.end === 'alive'
        ? 'alive at the end'
        : 'ended';
  return [
    [
      formatCount(row.frequency),
      formatShare(row.frequency, flow.lives),
      row.type,
      '0',
      begin,
      briefSite(row.allocatedAt) ?? '',
    ],
    ...foldRepeats(row.steps, isSame).flatMap(({ times, items }) => [
      ...(times === 1 ? [] : [['', '', '', '', `${formatCount(times)} times:`]]),
      ...items.map((steps) => [
        '',
        '',
        '',
        ...stepCells(together(steps), times === 1 ? '' : '  ', row.frequency, servers),
      ]),
    ]),
    [
      '',
      '',
      '',
      formatCount(Math.round(row.averageLifetimeInstructions)),
      end,
      briefSite(row.freedAt) ?? '',
      row.freedOnAnotherCore ? 'change' : '',
    ],
  ];
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

/** At the time of the first. */
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

function stepCells(step: PathStep, indent: string, lives: number, servers: readonly Server[]): string[] {
  return [
    formatCount(Math.round(step.averageTimeSinceAllocationInstructions)),
    indent + (step.cut ? '(further steps)' : (step.function ?? '(unknown)')),
    briefPlace(step.file, step.line),
    step.coreChange ? 'change' : '',
    `${formatCount(step.offsets[0])}-${formatCount(step.offsets[1])}`,
    formatAverage(step.references / lives),
    ...servers.map((server) => formatShare(step.served[server] ?? 0, step.references)),
    formatCycles(step.averageLatencyCycles),
  ];
}

/** Whole where it is. */
export function formatAverage(value: number): string {
  if (value > 0 && value < 0.05) return '<0.1';
  return Number.isInteger(value)
    ? formatCount(value)
    : value < 1000
      ? value.toFixed(1)
      : formatCount(Math.round(value));
}
