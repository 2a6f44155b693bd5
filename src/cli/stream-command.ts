// Stage: command line. `dprof stream`: the references of a trace as rows of the columns that are asked for.

import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import type { ReplayInput } from '../contract/input.js';
import { PackedColumn } from '../stream/packed-column.js';
import { PackedFilter } from '../stream/packed-filter.js';
import { readPacked, readReferences, type PackedBatch } from '../stream/read-references.js';
import { parseConditions, type Condition } from '../stream/row-filter.js';
import { ROW_FORMATS, RowText, type RowFormat } from '../stream/row-text.js';
import { COLUMN_NAMES, neededOf, OUTCOME_COLUMNS, parseColumns, type ColumnName } from '../stream/stream-columns.js';
import { addWindowedReplayFlags, parseReplayFlags, type ReplayFlags, type ReplayRequest } from './machine-options.js';
import { StandardOutput } from './standard-output.js';
import { streamInput } from './stream-input.js';
import { TRACES, withTraceFiles } from './trace-source.js';

interface StreamFlags extends ReplayFlags {
  readonly columns?: string;
  readonly where: readonly string[];
  readonly stage?: 'cache';
  readonly format: RowFormat | 'arrow';
}

const COLUMNS = 'thread,kind,address,size,type,field,line';

export function addStreamCommand(program: Command): void {
  const command = program
    .command('stream')
    .description('print every reference of a trace as a row of the columns that are asked for')
    .argument('<traces...>', TRACES)
    .option('--columns <names>', `with commas: ${COLUMN_NAMES.join(', ')} (default: ${COLUMNS})`)
    .addOption(
      new Option(
        '--stage <stage>',
        `let references go through the caches: without --columns, rows then have ${OUTCOME_COLUMNS.join(', ')}, too`,
      ).choices(['cache']),
    )
    .option(
      '--where <condition>',
      'only rows with this: COLUMN=VALUE, !=, <, <=, >, >=; several must all hold',
      collect,
      [],
    )
    .addOption(new Option('--format <format>', 'output format').choices([...ROW_FORMATS, 'arrow']).default('jsonl'));
  addWindowedReplayFlags(command).action(async (files: readonly string[], flags: StreamFlags) => {
    const columns = parseColumns(flags.columns ?? [COLUMNS, ...(flags.stage ? OUTCOME_COLUMNS : [])].join(','));
    const conditions = parseConditions(flags.where);
    const request = parseReplayFlags(flags);
    await withTraceFiles(files, async (paths) => {
      const { input } = await streamInput(paths, request);
      if (flags.format === 'arrow') return writeArrow(input, columns, conditions, request);
      const text = new RowText(columns, conditions, flags.format, input);
      const needed = neededOf([...columns, ...conditions.map(({ column }) => column)]);
      const output = new StandardOutput();
      output.write(text.head);
      for await (const rows of readReferences(input, needed, request.engine, request.workers))
        output.write(text.spell(rows));
      output.flush();
    });
  });
}

async function writeArrow(
  input: ReplayInput,
  names: readonly ColumnName[],
  conditions: readonly Condition[],
  { engine, workers }: ReplayRequest,
): Promise<void> {
  if (isatty(1)) throw new DprofError('--format arrow is not for a terminal', 'dprof stream ... | python3 mine.py', 2);
  const { arrowStream } = await import('../stream/arrow-stream.js');
  const others = conditions.map(({ column }) => column).filter((name) => !names.includes(name));
  const columns = [...names, ...new Set(others)].map((name) => new PackedColumn(name, input));
  const filter = new PackedFilter(conditions, columns);
  async function* chosen(): AsyncGenerator<PackedBatch> {
    for await (const batch of readPacked(input, columns, engine, workers)) yield filter.pass(batch, names.length);
  }
  const output = new StandardOutput();
  for await (const piece of arrowStream(columns.slice(0, names.length), chosen())) output.writeBytes(piece);
}

function collect(word: string, words: readonly string[]): string[] {
  return [...words, word];
}
