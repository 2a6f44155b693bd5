// Stage: command line. `dprof stream`: the references of a trace as rows of the columns that are asked for.

import { Option, type Command } from 'commander';
import { PackedFilter } from '../stream/packed-filter.js';
import { readPacked } from '../stream/read-references.js';
import { COLUMN_NAMES, OUTCOME_COLUMNS } from '../stream/stream-columns.js';
import { TRACE_MAGIC } from '../trace/layout.js';
import { beginsWith, comesAsStream, openByteStream } from './byte-stream.js';
import { canFollow, followTrace } from './followed-trace.js';
import { addWindowedReplayFlags, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { DEFAULT_COLUMNS, OUTPUT_FORMATS, parseRows, RowOutput, type AskedRows } from './row-output.js';
import { streamInput } from './stream-input.js';
import { TRACES, withTraceFile, withTraceFiles } from './trace-source.js';
import { collectWords } from './repeated-option.js';

interface StreamFlags extends ReplayFlags {
  readonly columns?: string;
  readonly where: readonly string[];
  readonly stage?: 'cache';
  readonly format: AskedRows['format'];
}

export function addStreamCommand(program: Command): void {
  const command = program
    .command('stream')
    .description('print every reference of a trace as a row of the columns that are asked for')
    .argument('<traces...>', TRACES)
    .option('--columns <names>', `with commas: ${COLUMN_NAMES.join(', ')} (default: ${DEFAULT_COLUMNS})`)
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
    .addOption(new Option('--format <format>', 'output format').choices(OUTPUT_FORMATS).default('jsonl'));
  addWindowedReplayFlags(command).action(async (files: readonly string[], flags: StreamFlags) => {
    const { format, stage, where } = flags;
    const columns = flags.columns ?? [DEFAULT_COLUMNS, ...(stage ? OUTCOME_COLUMNS : [])].join(',');
    const asked = parseRows(columns, where, format);
    const request = parseReplayFlags(flags);
    const output = new RowOutput(format);
    const print = async (paths: readonly string[]): Promise<void> => {
      const { input } = await streamInput(paths, request);
      const filter = new PackedFilter(asked.columns, asked.conditions, input);
      await output.write(filter, filter.chosen(readPacked(input, filter.columns, request.engine, request.workers)));
    };
    if (files.length > 1 || !comesAsStream(files[0])) return withTraceFiles(files, print);
    const source = await openByteStream(files[0]);
    if (canFollow(request) && (await beginsWith(source, [TRACE_MAGIC])))
      await followTrace(source, files[0], request, asked, output);
    else await withTraceFile(files[0], (path) => print([path]), undefined, source);
  });
}
