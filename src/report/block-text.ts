// Stage: views -> text. Blocks: one with its assembly, several as a table.

import type { Block } from '../blocks/block.js';
import { REASONS } from '../blocks/reasons.js';
import { renderTable, type TextColumn } from './text-table.js';
import { renderLabelled, type Labelled } from './text-lines.js';

const LONGEST_WORD = Math.max(...Object.keys(REASONS).map(({ length }) => length));
const UNITS = { 'core-cycles': 'core cycles', calibrated: 'calibrated' } as const;

/** Why it has no number, in a sentence. */
export function explainOutcome({ status, reason }: Pick<Block, 'status' | 'reason'>): string {
  return `${status}: ${reason === null ? '' : (REASONS[reason] ?? reason)} (${reason})`;
}

export function renderBlock(block: Block, width: number): string {
  const assembly = block.assembly.map((line) => `  ${line}\n`).join('');
  return `${assembly}${assembly === '' ? '' : '\n'}${renderLabelled(factsOf(block), width)}\n`;
}

function factsOf(block: Block): Labelled[] {
  if (block.cycles === null || block.timings === null) return [['outcome', explainOutcome(block)]];
  const { cycles, timings, naive, copies, unit, pages, models, value, error } = block;
  const [least, most] = [timings[0], timings[timings.length - 1]];
  return [
    ['cycles', `${spell(cycles)} an execution (${UNITS[unit]})`],
    [
      'timings',
      `${timings.length} of 16 are clean, from ${spell(least)} to ${spell(most)}; ` +
        `${copies![1]} copies less ${copies![0]}`,
    ],
    ...(naive === null ? [] : [['naive', `${spell(naive)}: 100 copies, divided by 100`] satisfies Labelled]),
    ...Object.entries(models).map(([name, predicted]): Labelled => [name, spell(predicted)]),
    ...(value === undefined ? [] : [['file', `${spell(value)}: measured ${spellError(error)}`] satisfies Labelled]),
    ['memory', pages === 0 ? 'none' : `${pages} ${pages === 1 ? 'page' : 'pages'}, all on one physical page`],
    ...(block.subnormals ? [['subnormals', 'flushed to zero'] satisfies Labelled] : []),
  ];
}

export function renderBlocks(blocks: readonly Block[], width: number): string {
  const models = [...new Set(blocks.flatMap((block) => Object.keys(block.models)))];
  const hasValues = blocks.some(({ value }) => value !== undefined);
  const columns: readonly TextColumn[] = [
    { heading: 'block', align: 'left', shortest: 16 },
    { heading: 'instructions', brief: 'instr.', align: 'right', expendable: 2 },
    { heading: 'outcome', align: 'left', shortest: LONGEST_WORD },
    { heading: 'cycles', align: 'right' },
    { heading: 'naive', align: 'right', expendable: 3 },
    ...(hasValues
      ? ([
          { heading: 'file', align: 'right' },
          { heading: 'error', align: 'right' },
        ] as const)
      : []),
    ...models.map((heading): TextColumn => ({ heading, align: 'right', expendable: 1 })),
  ];
  const rows = blocks.map((block) => [
    block.hex,
    String(block.assembly.length),
    block.reason ?? block.status,
    spellKnown(block.cycles),
    spellKnown(block.naive),
    ...(hasValues ? [spellKnown(block.value), block.error === undefined ? '' : spellError(block.error)] : []),
    ...models.map((name) => spellKnown(block.models[name])),
  ]);
  return `${renderTable(columns, rows, width)}\n\n${summarise(blocks)}\n`;
}

/** Counts that add up. */
function summarise(blocks: readonly Block[]): string {
  const counts = new Map<string, number>();
  for (const { status } of blocks) counts.set(status, (counts.get(status) ?? 0) + 1);
  const words = [...counts].sort(([, a], [, b]) => b - a).map(([status, count]) => `${count} ${status}`);
  const unit = blocks[0]?.unit === 'core-cycles' ? 'core cycles' : 'calibrated cycles (docs/blocks.md)';
  return `${blocks.length} ${blocks.length === 1 ? 'block' : 'blocks'}: ${words.join(', ')}; ${unit} an execution`;
}

function spell(cycles: number): string {
  return cycles.toFixed(cycles < 10 ? 2 : 1);
}

function spellKnown(cycles: number | null | undefined): string {
  return cycles === null || cycles === undefined ? '' : spell(cycles);
}

function spellError(error: number | undefined): string {
  return error === undefined ? '' : `${error < 0 ? '' : '+'}${(error * 100).toFixed(1)} %`;
}
