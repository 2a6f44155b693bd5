// Stage: views -> text. Machine blocks as a table: where the time of the program's own code goes.

import { formatCount, formatShare, plural } from '../base/format-number.js';
import type { BlockRow, Blocks, UnreadFile } from '../views/blocks.js';
import { column, count, measure, name, type Column } from '../views/columns.js';
import { runLines } from './run-lines.js';
import { renderLabelled, wrap } from './text-lines.js';
import type { TextOptions } from './text-report.js';
import { renderSection } from './view-text.js';

const BOUNDS: Readonly<Record<BlockRow['bound'], string>> = {
  compute: 'its instructions keep the processor busy',
  dependency: 'its instructions wait for each other',
  latency: 'it waits for its misses longer than it computes',
  sharing: 'the same, and most of them are misses by sharing',
};

export function renderBlocks(view: Blocks, { top, style }: TextOptions): string {
  const { width } = style;
  const { code, cycles, rows } = view;
  const shown = rows.slice(0, top);
  const { title, body, notes } = renderSection(
    {
      title: 'blocks and innermost loops of machine code by estimated cycles',
      columns: columnsOf(view) as Column<unknown>[],
      lines: shown,
      empty: 'no block of the program ran',
      notes: [`${describeShown(shown.length, rows.length)} a thousandth of the instructions or of the cycles.`],
      remarks: Object.entries(BOUNDS)
        .filter(([bound]) => shown.some((row) => row.bound === bound))
        .map(([bound, meaning]) => `${bound}: ${meaning}.`),
    },
    width,
  );
  const all = cycles.compute + cycles.wait;
  const lines: [string, string][] = [
    ...runLines(view, width).map(([label, text]): [string, string] => [label, text]),
    [
      'time',
      `about ${formatCount(Math.round(all))} cycles for ${formatCount(code.instructions)} instructions: ` +
        `${formatShare(cycles.compute, all)} computing, ${formatShare(cycles.wait, all)} waiting for misses`,
    ],
    ['counted', describeCoverage(view)],
  ];
  const faint = wrap(notes.join(' '), width - 2).map((line) => `  ${line}`);
  return `${renderLabelled(lines, width)}\n\n${style.strong(title)}\n${body}\n${style.faint(faint.join('\n'))}\n`;
}

function columnsOf(view: Blocks): Column<BlockRow>[] {
  const { rows } = view;
  const all = view.cycles.compute + view.cycles.wait;
  return [
    column('site', 'site', 'at', placeOf, { shortest: 14 }),
    name('function', 'function', { shortest: 12 }),
    column('share', 'cycles/all', 'time', ({ cycles }) => ({ part: cycles, whole: all }), {
      meaning: 'of the estimated cycles of all blocks.',
    }),
    column('words', 'bound', 'bound', ({ bound }) => bound),
    ...(rows.some(({ blocks }) => blocks > 1)
      ? [
          count<BlockRow>('blocks', 'blocks', {
            meaning: 'more than one: an innermost loop, of which an iteration is told.',
          }),
        ]
      : []),
    count('times', 'executions', { meaning: 'how often it ran.' }),
    column('average', 'instructions', 'instr.', ({ instructions }) => instructions, {
      meaning: 'in it.',
      expendable: 2,
    }),
    measure('cycles', 'compute', 'computeCycles', {
      meaning: `cycles of one execution, its data in the L1, ${describePrices(view)}.`,
    }),
    measure('cycles', 'llvm-mca', 'predictedCycles', { meaning: 'what it predicts of the same.', expendable: 4 }),
    measure('cycles', 'wait', 'waitCycles', {
      meaning: 'cycles that one execution waits for misses, less what other instructions hide.',
    }),
    column('average', 'misses.l1', 'L1 misses', ({ misses }) => misses.l1, {
      meaning: 'of one execution.',
      expendable: 3,
    }),
    name('type', 'type', { shortest: 10, meaning: 'whose misses cost most.', expendable: 1 }, 'type'),
  ];
}

/** A longer one is not said twice in a line. */
const LONGEST_FUNCTION = 24;

/** Where there is no line, the address too. */
function placeOf({ site, function: own, offset, address }: BlockRow): string {
  if (site !== `${own}+${offset}`) return site;
  return `${own.length > LONGEST_FUNCTION ? '' : own}+${offset} (${address})`;
}

function describeShown(shown: number, all: number): string {
  return all === 1 ? 'the one block or loop with' : `${shown} of ${all} blocks and loops with`;
}

function describePrices({ rows }: Blocks): string {
  const by = (how: BlockRow['pricedBy']): number => rows.filter(({ pricedBy }) => pricedBy === how).length;
  const words = [
    ['measured on this machine', by('measured')],
    ["by llvm-mca's prediction for this machine's processor", by('llvm-mca')],
    ['by its number of instructions', by('instructions')],
  ] as const;
  return words
    .filter(([, blocks]) => blocks > 0)
    .map(([how, blocks]) => (blocks === rows.length ? how : `of ${plural(blocks, 'row')} ${how}`))
    .join(', ');
}

function describeCoverage({ code }: Blocks): string {
  const { instructions, uncountedInstructions, blocks, uncountedBlocks, functions, countedRecorded, recorded, unread } =
    code;
  const all = instructions + uncountedInstructions;
  return (
    `${formatCount(blocks - uncountedBlocks)} of ${plural(blocks, 'block')} of ${plural(functions, 'function')}; ` +
    `the others have at most ${formatShare(uncountedInstructions, all)} of their instructions; ` +
    `${formatShare(countedRecorded, recorded)} of what was recorded is in counted blocks` +
    unread.map((file) => `; unread: ${describeUnread(file)}`).join('')
  );
}

function describeUnread({ file, reason }: UnreadFile): string {
  const words: Readonly<Record<typeof reason, string>> = {
    'built-anew': 'was built anew since',
    missing: 'is not there',
    'unknown-folder': 'is in an unknown folder: record again',
    unreadable: 'is no ELF file of x86-64',
    'no-probes': 'has no probes: compile with -fdprof-blocks',
  };
  return `${file} ${words[reason]}`;
}
