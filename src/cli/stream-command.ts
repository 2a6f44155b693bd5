// Stage: command line. `dprof stream`: the references of a trace as rows of the columns that are asked for.

import { Option, type Command } from 'commander';
import { readReferences } from '../stream/read-references.js';
import { parseConditions } from '../stream/row-filter.js';
import { ROW_FORMATS, RowText, type RowFormat } from '../stream/row-text.js';
import { COLUMN_NAMES, neededOf, OUTCOME_COLUMNS, parseColumns } from '../stream/stream-columns.js';
import { addWindowedReplayFlags, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { StandardOutput } from './standard-output.js';
import { streamInput } from './stream-input.js';
import { TRACES, withTraceFiles } from './trace-source.js';

interface StreamFlags extends ReplayFlags {
  readonly columns?: string;
  readonly where: readonly string[];
  readonly stage?: 'cache';
  readonly format: RowFormat;
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
    .addOption(new Option('--format <format>', 'output format').choices(ROW_FORMATS).default('jsonl'));
  addWindowedReplayFlags(command).action(async (files: readonly string[], flags: StreamFlags) => {
    const columns = parseColumns(flags.columns ?? [COLUMNS, ...(flags.stage ? OUTCOME_COLUMNS : [])].join(','));
    const conditions = parseConditions(flags.where);
    const request = parseReplayFlags(flags);
    await withTraceFiles(files, async (paths) => {
      const { input } = await streamInput(paths, request);
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

function collect(word: string, words: readonly string[]): string[] {
  return [...words, word];
}
