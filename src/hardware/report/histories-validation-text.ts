// Stage: validation -> text. Histories beside a trace: the verdict, what adds up to what, and every exception with its
// reason.

import { REASON_TEXT } from '../validate/reasons.js';
import type { ExceptionRow, HistoriesValidation } from '../validate/validate-histories.js';
import { formatCount, formatShare } from '../../base/format-number.js';
import { briefSite } from '../../views/sites.js';
import { renderLabelled, wrap, type Labelled } from '../../report/text-lines.js';
import type { TextStyle } from '../../report/text-style.js';
import { renderTable } from '../../report/text-table.js';

const VERDICTS = {
  agrees:
    'AGREES: every access that registers saw in instrumented code is in the trace, in its order, and what is ' +
    'not is explained',
  differs: 'DIFFERS: something is not explained',
  'nothing-seen': 'NOTHING SEEN: registers saw no access that could be in the trace',
} as const;

const SIDES = { register: 'seen, not traced', trace: 'traced, not seen', order: 'other order' } as const;

export function renderHistoriesValidation(
  data: HistoriesValidation,
  { top, style }: { readonly top: number; readonly style: TextStyle },
): string {
  const { width, strong, hot, faint } = style;
  const parts = [
    `${(data.verdict === 'agrees' ? strong : hot)(VERDICTS[data.verdict])}`,
    renderLabelled(headLines(data), width),
    renderTypes(data, width),
    ...(data.rows.length === 0
      ? []
      : [
          `${strong('exceptions')}\n${renderExceptions(data.rows.slice(0, top), width)}` +
            `${data.rows.length > top ? `\n${formatCount(data.rows.length - top)} more: --top` : ''}`,
        ]),
  ];
  const note =
    'An access to bytes of two slots counts once for each. Registers say neither the size of an access nor ' +
    "whether it was a load; that is the trace's.";
  return `${parts.join('\n\n')}\n${faint(
    wrap(note, width - 2)
      .map((line) => `  ${line}`)
      .join('\n'),
  )}\n`;
}

function reasons(counts: Readonly<Record<string, number>>): string {
  return (
    Object.entries(counts)
      .flatMap(([reason, count]) =>
        count > 0 ? [`${formatCount(count)} ${REASON_TEXT[reason as keyof typeof REASON_TEXT]}`] : [],
      )
      .join(', ') || 'none'
  );
}

function headLines({
  trace,
  histories,
  truncated,
  objects,
  elements,
  accesses,
  order,
  threads,
}: HistoriesValidation): Labelled[] {
  const { line, function: named, code, foreign } = elements.agreement;
  const agreed = [
    `${formatCount(line)} at the same line`,
    ...(named > 0 ? [`${formatCount(named)} in the same function`] : []),
    ...(code > 0 ? [`${formatCount(code)} in the same code, inlined otherwise`] : []),
    ...(foreign > 0 ? [`${formatCount(foreign)} of block operations that ran in other code`] : []),
  ];
  const unpaired = threads.filter(({ thread }) => thread === null).length;
  return [
    ['trace', `${trace}${truncated.trace ? ' (TRUNCATED)' : ''}`],
    ['histories', `${histories}${truncated.histories ? ' (TRUNCATED)' : ''}`],
    ['objects', `${formatCount(objects.watched)} watched, ${formatCount(objects.inTrace)} of them in the trace`],
    [
      'seen',
      `${formatCount(elements.seen)} accesses by registers, ${formatCount(elements.instrumented)} of them in ` +
        'instrumented code',
    ],
    [
      'in trace',
      `${formatCount(elements.inTrace)} (${formatShare(elements.inTrace, elements.seen)}): ${agreed.join(', ')}`,
    ],
    ['not in trace', reasons(elements.reasons)],
    [
      'traced',
      `${formatCount(accesses.traced)} accesses to these slots meanwhile, ${formatCount(accesses.seen)} seen` +
        `${accesses.afterLetGo > 0 ? `; ${formatCount(accesses.afterLetGo)} more after objects were let go` : ''}`,
    ],
    ['not seen', reasons(accesses.reasons)],
    [
      'order',
      `${formatCount(order.ofThread)} behind another of their thread, ${formatCount(order.betweenThreads)} ` +
        `behind one of another thread; other order: ${reasons(order.reasons)}`,
    ],
    [
      'threads',
      `${formatCount(threads.length)}` +
        `${unpaired > 0 ? `, of which the trace knows ${formatCount(threads.length - unpaired)}` : ''}`,
    ],
  ];
}

function renderTypes({ types }: HistoriesValidation, width: number): string {
  return renderTable(
    [
      { heading: 'type', align: 'left', shortest: 16 },
      ...['histories', 'seen', 'in the trace', 'explained', 'unexplained'].map((heading) => ({
        heading,
        align: 'right' as const,
      })),
    ],
    types.map((row) => [
      row.type,
      ...[row.histories, row.elements, row.inTrace, row.explained, row.unexplained].map(formatCount),
    ]),
    width,
  );
}

function renderExceptions(rows: readonly ExceptionRow[], width: number): string {
  return renderTable(
    [
      { heading: 'what', align: 'left', expendable: 1 },
      { heading: 'reason', align: 'left', shortest: 16 },
      { heading: 'count', align: 'right' },
      { heading: 'type', align: 'left', shortest: 12, expendable: 3 },
      { heading: 'offset', align: 'right' },
      { heading: 'field', align: 'left', shortest: 8, expendable: 4 },
      { heading: 'in', align: 'left', shortest: 12 },
      { heading: 'at', align: 'left', shortest: 12, expendable: 5 },
      { heading: 'history', align: 'right', expendable: 2 },
    ],
    rows.map((row) => [
      `${SIDES[row.side]}${row.kind === null || row.kind === 'kernel' ? '' : ` (${row.kind})`}`,
      REASON_TEXT[row.reason],
      formatCount(row.count),
      row.type,
      formatCount(row.offset),
      row.field,
      row.function,
      briefSite(row.site) ?? '',
      formatCount(row.history),
    ]),
    width,
  );
}
