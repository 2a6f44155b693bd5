// Stage: views -> text, HTML. Machine blocks: the columns of their table, and where their time goes in words.

import { formatCount, formatShare, plural } from '../base/format-number.js';
import type { BlockRow, Blocks, UnreadFile } from '../views/blocks.js';
import { column, count, measure, name, type Column } from '../views/columns.js';

export const BOUNDS: Readonly<Record<BlockRow['bound'], string>> = {
  compute: 'its instructions keep the processor busy',
  dependency: 'its instructions wait for each other',
  latency: 'it waits for its misses longer than it computes',
  sharing: 'the same, and most of them are misses by sharing',
};

export function describeTime({ code, cycles }: Blocks): string {
  const all = cycles.compute + cycles.wait;
  return (
    `about ${formatCount(Math.round(all))} cycles for ${formatCount(code.instructions)} instructions: ` +
    `${formatShare(cycles.compute, all)} computing, ${formatShare(cycles.wait, all)} waiting for misses`
  );
}

export function blockColumns(view: Blocks): Column<BlockRow>[] {
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

export function describeCoverage({ code }: Blocks): string {
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
