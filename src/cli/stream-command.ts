// Stage: command line. `dprof stream`: the references of a trace as rows of the columns that are asked for.

import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { PackedFilter } from '../stream/packed-filter.js';
import { readPacked } from '../stream/read-references.js';
import { parseConditions } from '../stream/row-filter.js';
import { ROW_FORMATS, RowText, type RowFormat } from '../stream/row-text.js';
import { COLUMN_NAMES, OUTCOME_COLUMNS, parseColumns } from '../stream/stream-columns.js';
import { addWindowedReplayFlags, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { StandardOutput } from './standard-output.js';
import { streamInput } from './stream-input.js';
import { TRACES, withTraceFiles } from './trace-source.js';
import { collectWords } from './repeated-option.js';

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
      collectWords,
      [],
    )
    .addOption(new Option('--format <format>', 'output format').choices([...ROW_FORMATS, 'arrow']).default('jsonl'));
  addWindowedReplayFlags(command).action(async (files: readonly string[], flags: StreamFlags) => {
    const { format, stage, where } = flags;
    const columns = parseColumns(flags.columns ?? [COLUMNS, ...(stage ? OUTCOME_COLUMNS : [])].join(','));
    const conditions = parseConditions(where);
    const request = parseReplayFlags(flags);
    if (format === 'arrow' && isatty(1))
      throw new DprofError('--format arrow is not for a terminal', 'dprof stream ... | python3 mine.py', 2);
    await withTraceFiles(files, async (paths) => {
      const { input } = await streamInput(paths, request);
      const filter = new PackedFilter(columns, conditions, input);
      const rows = filter.chosen(readPacked(input, filter.columns, request.engine, request.workers));
      const output = new StandardOutput();
      if (format === 'arrow') {
        const { arrowStream } = await import('../stream/arrow-stream.js');
        for await (const piece of arrowStream(filter.asked, rows)) output.writeBytes(piece);
        return;
      }
      const text = new RowText(filter.asked, format);
      output.write(text.head);
      for await (const batch of rows) output.write(text.spell(batch));
      output.flush();
    });
  });
}
