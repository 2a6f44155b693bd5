// Stage: command line. `dprof stream`: the references of a trace as rows of the columns that are asked for.

import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { eventText } from '../stream/event-text.js';
import { readEvents } from '../stream/events.js';
import { PackedFilter } from '../stream/packed-filter.js';
import { readPacked } from '../stream/read-references.js';
import { COLUMN_NAMES, OUTCOME_COLUMNS } from '../stream/stream-columns.js';
import { TRACE_MAGIC } from '../trace/layout.js';
import { beginsWith, comesAsStream, openByteStream } from './byte-stream.js';
import { canFollow, followTrace } from './followed-trace.js';
import { addWindowedReplayFlags, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { DEFAULT_COLUMNS, OUTPUT_FORMATS, parseRows, RowOutput, type AskedRows } from './row-output.js';
import { StandardOutput } from './standard-output.js';
import { streamInput } from './stream-input.js';
import { TRACES, withTraceFile, withTraceFiles } from './trace-source.js';
import { collectWords } from './repeated-option.js';

interface StreamFlags extends ReplayFlags {
  readonly columns?: string;
  readonly where: readonly string[];
  readonly stage?: 'cache';
  readonly events?: boolean;
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
    .option('--events', 'instead of references, what happened beside them: allocations, calls, synchronisation, marks')
    .addOption(new Option('--format <format>', 'output format').choices(OUTPUT_FORMATS).default('jsonl'));
  addWindowedReplayFlags(command).action(async (files: readonly string[], flags: StreamFlags) => {
    if (flags.events) return streamEvents(files, flags);
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

/** Read by the TypeScript decoder, whatever --engine says. */
async function streamEvents(files: readonly string[], flags: StreamFlags): Promise<void> {
  const { columns, where, stage, format } = flags;
  const request = parseReplayFlags(flags);
  const refuse = (what: string, hint: string): never => {
    throw new DprofError(`${what} is not for --events`, hint, 2);
  };
  if (columns !== undefined) refuse('--columns', 'events have their own (docs/stream.md)');
  if (where.length > 0) refuse('--where', "ask in SQL: dprof sql RUN.dptrace 'from events where ...'");
  if (stage !== undefined) refuse('--stage cache', 'events go through no cache');
  if (request.window !== undefined) refuse('a window', 'events are those of the whole trace');
  if (format === 'arrow') return refuse('--format arrow', 'give --format jsonl or csv');
  await withTraceFiles(files, async (paths) => {
    const { input } = await streamInput(paths, request);
    const output = new StandardOutput();
    for (const text of eventText(readEvents(input), format)) output.write(text);
    output.flush();
  });
}
