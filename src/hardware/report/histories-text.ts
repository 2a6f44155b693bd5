// Stage: histories -> text. The histories that were taken, their cost, the number of paths by the number of sets, and
// the paths.

import type { CollectionRow, HistoryView, Overhead, PathRow } from '../histories/history-view.js';
import { formatBytes, formatCount, formatShare, plural } from '../../base/format-number.js';
import { briefSite } from '../../views/sites.js';
import { renderLabelled, shorten, wrap, type Labelled } from '../../report/text-lines.js';
import type { TextStyle } from '../../report/text-style.js';
import { renderTable } from '../../report/text-table.js';

export function renderHistories(
  view: HistoryView,
  { top, style }: { readonly top: number; readonly style: TextStyle },
): string {
  const { width, strong, faint } = style;
  const sets = view.cover === 'pairwise' ? 'pairwise' : 'single-offset';
  const registers = `registers of ${view.width} byte${view.width === 1 ? '' : 's'}`;
  const parts = [
    renderLabelled(headLines(view, width), width),
    `${strong(`collection: ${sets} sets, ${registers}`)}\n${renderCollection(view.collection, width)}`,
    `${strong('rates')}\n${renderRates(view.collection, width)}`,
    ...(view.overhead === null ? [] : [`${strong('where the time goes')}\n${renderOverhead(view.overhead, width)}`]),
    `${strong('unique paths, by sets taken')}\n${renderCurves(view, width)}`,
    ...renderPaths(view, top, style),
  ];
  const note =
    'Sampled: what registers saw of the objects that were drawn. An ip is of the instruction behind the ' +
    'access; accesses inside the kernel are not seen.';
  return `${parts.join('\n\n')}\n${faint(
    wrap(note, width - 2)
      .map((line) => `  ${line}`)
      .join('\n'),
  )}\n`;
}

function headLines(view: HistoryView, width: number): Labelled[] {
  const { exit, lost, endings } = view;
  const ended =
    exit === null
      ? 'TRUNCATED'
      : exit.signal === undefined
        ? `exited with status ${exit.code}`
        : `killed by signal ${exit.signal}`;
  const ends = {
    free: 'freed',
    exit: 'alive at the end',
    longest: 'let go after --longest',
    elements: 'let go after --most-elements',
    partner: 'ended with the other object',
    exec: 'ended by exec',
  };
  const described = Object.entries(ends).flatMap(([ending, text]) =>
    endings[ending as keyof typeof ends] > 0 ? [`${formatCount(endings[ending as keyof typeof ends])} ${text}`] : [],
  );
  const misplaced = view.collection.flatMap(({ type, notTaken }) =>
    notTaken !== null && notTaken.misplaced > 0
      ? [`${formatCount(notTaken.misplaced)} ${type} whose place in their allocation nobody knows`]
      : [],
  );
  const losses =
    lost === null
      ? []
      : [
          ...(lost.elements > 0 ? [`${plural(lost.elements, 'element')} lost by full buffers`] : []),
          ...(lost.stray > 0 ? [`${formatCount(lost.stray)} of no object`] : []),
          ...(lost.unwatchedThreads > 0 ? [`${plural(lost.unwatchedThreads, 'thread')} without registers`] : []),
          ...(lost.lateThreads > 0
            ? [`the first 0.1 s of ${plural(lost.lateThreads, 'thread')} that nobody announced`]
            : []),
          ...(lost.unseenSites > 0
            ? [`${plural(lost.unseenSites, 'allocation')} at sites beyond those remembered`]
            : []),
          ...(lost.forkedChildren > 0 ? [`what ${formatCount(lost.forkedChildren)} forked children did`] : []),
          ...(lost.mappings > 0
            ? [
                `what lies in ${plural(lost.mappings, 'mapping')} of the program's own ` +
                  `(${formatBytes(lost.mappedBytes)})`,
              ]
            : []),
          ...misplaced,
        ];
  return [
    ['program', `${shorten(view.command.join(' '), Math.max(40, width - 40))} (${ended})`],
    ['drawn', `one allocation in ${formatCount(view.oneIn)}, seed ${view.seed}, ${view.registers} registers`],
    ['histories', described.length === 0 ? 'none' : described.join(', ')],
    ['lost', losses.length === 0 ? 'nothing' : losses.join(', ')],
  ];
}

function renderCollection(rows: readonly CollectionRow[], width: number): string {
  return renderTable(
    [
      { heading: 'type', align: 'left', shortest: 16 },
      { heading: 'bytes', align: 'right' },
      { heading: 'per set', align: 'right', expendable: 2 },
      { heading: 'histories', align: 'right' },
      { heading: 'sets', align: 'right' },
      { heading: 'seconds', align: 'right' },
      { heading: 'allocations', align: 'right', expendable: 1 },
      { heading: 'busy', align: 'right', expendable: 3 },
      { heading: 'not drawn', align: 'right', expendable: 4 },
    ],
    rows.map((row) => [
      row.type,
      formatCount(row.bytes),
      formatCount(row.historiesPerSet),
      formatCount(row.histories),
      formatCount(row.sets),
      row.seconds.toFixed(3),
      row.allocations === null ? '-' : formatCount(row.allocations),
      row.notTaken === null ? '-' : formatCount(row.notTaken.busy),
      row.notTaken === null ? '-' : formatCount(row.notTaken.notDrawn + row.notTaken.tooSoon),
    ]),
    width,
  );
}

function renderRates(rows: readonly CollectionRow[], width: number): string {
  const rate = (value: number | null): string =>
    value === null ? '-' : value >= 100 ? formatCount(Math.round(value)) : value.toFixed(1);
  return renderTable(
    [
      { heading: 'type', align: 'left', shortest: 16 },
      { heading: 'elements', align: 'right' },
      { heading: 'per history', align: 'right' },
      { heading: 'histories/s', align: 'right' },
      { heading: 'elements/s', align: 'right' },
    ],
    rows.map((row) => [
      row.type,
      formatCount(row.elements),
      rate(row.elementsPerHistory),
      rate(row.historiesPerSecond),
      rate(row.elementsPerSecond),
    ]),
    width,
  );
}

function renderOverhead(overhead: Overhead, width: number): string {
  const parts: [string, number][] = [
    ['traps', overhead.trapsNs],
    ['arming registers', overhead.armingNs],
    ['releasing them', overhead.releasingNs],
    ['what sites allocate', overhead.sitesNs],
    ['new and ended threads', overhead.threadsNs],
  ];
  const milliseconds = (ns: number): string => (ns / 1e6).toFixed(2);
  return renderTable(
    [
      { heading: "of the program's threads", align: 'left' },
      { heading: 'ms', align: 'right' },
      { heading: 'of all', align: 'right' },
      { heading: 'of the run', align: 'right' },
    ],
    [...parts, ['all', overhead.totalNs] as [string, number]].map(([name, ns]) => [
      name,
      milliseconds(ns),
      formatShare(ns, overhead.totalNs),
      formatShare(ns, overhead.runNs),
    ]),
    width,
  );
}

function renderCurves(view: HistoryView, width: number): string {
  return view.curves
    .flatMap(({ type, points }) => {
      const text =
        points.length === 0
          ? 'none'
          : points.map(({ sets, paths }) => `${formatCount(sets)}: ${formatCount(paths)}`).join(', ');
      return wrap(`${type}  ${text}`, width - 2).map((line, index) => `${index === 0 ? '' : '  '}${line}`);
    })
    .join('\n');
}

function renderPaths(view: HistoryView, top: number, { width, strong }: TextStyle): string[] {
  const shown = view.rows.slice(0, top);
  return shown.map((path, index) => {
    const title =
      `path ${index + 1} of ${view.rows.length}: ${path.type}, ${formatCount(path.histories)} histories` +
      `${path.complete ? '' : ', not all of it seen'}`;
    return `${strong(title)}\n${renderPath(path, width)}`;
  });
}

function renderPath(path: PathRow, width: number): string {
  const at = (site: string | null): string => briefSite(site) ?? '';
  return renderTable(
    [
      { heading: 'offset', align: 'right' },
      { heading: 'field', align: 'left', shortest: 12 },
      { heading: 'function', align: 'left', shortest: 12 },
      { heading: 'line', align: 'left', shortest: 10, expendable: 1 },
      { heading: 'thread', align: 'left' },
      { heading: 'accesses', align: 'right' },
      { heading: 'µs since allocation', brief: 'µs', align: 'right' },
    ],
    [
      ['', '', `${path.allocatedIn ?? '(unknown)'} (allocates)`, at(path.allocatedAt), '', '', '0.0'],
      ...path.steps.map((step) => [
        String(step.offset),
        step.field ?? '',
        step.function ?? step.ip,
        at(step.site),
        step.otherThread ? 'other' : 'own',
        step.accesses.toFixed(1).replace(/\.0$/, ''),
        (step.sinceAllocationNs / 1000).toFixed(1),
      ]),
      [
        '',
        '',
        path.freedIn === null && path.freedAt === null ? '(never freed)' : `${path.freedIn ?? '(unknown)'} (frees)`,
        at(path.freedAt),
        '',
        '',
        '',
      ],
    ],
    width,
  );
}
