// Stage: command line. `dprof sql`: questions in SQL about a trace, one or, on a terminal, one after the other.

import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import type { DuckDBResult } from '@duckdb/node-api';
import { DprofError } from '../base/dprof-error.js';
import { formatCount } from '../base/format-number.js';
import type { Database as DatabaseClass } from '../sql/database.js';
import { isDataset, openDataset } from '../sql/dataset.js';
import { QUERY_FORMATS, spellCsv, spellJson, spellTable, type QueryFormat } from '../sql/query-text.js';
import { FLOW_VIEWS, SHARED_VARIABLE_VIEWS } from '../views/views.js';
import { parseFlowFlags } from './flow-options.js';
import {
  addWindowedReplayFlags,
  parseReplayFlags,
  refuseReplayFlags,
  type ReplayFlags,
  type ReplayRequest,
} from './machine-options.js';
import { printError } from './print-error.js';
import { ProgressLine } from './progress.js';
import { replayTrace } from './replay-trace.js';
import { checkTop } from './report-options.js';
import { StandardOutput } from './standard-output.js';
import { streamInput } from './stream-input.js';
import { nameTraces, withTraceFile } from './trace-source.js';

interface SqlFlags extends ReplayFlags {
  readonly format: QueryFormat;
  readonly output?: string;
  readonly top: string;
}

export function addSqlCommand(program: Command): void {
  const command = program
    .command('sql')
    .description('ask a trace in SQL (DuckDB): its references as they stream, its objects, and every view')
    .argument('<trace>', 'trace that dprof record wrote (-: standard input), or a dataset (docs/datasets.md)')
    .argument('[query]', 'a statement; without one, a prompt (docs/sql.md has the tables)')
    .addOption(new Option('--format <format>', 'output format').choices(QUERY_FORMATS).default('text'))
    .option('-o, --output <file>', 'file to write, for --format parquet')
    .option('--top <n>', 'rows of a text table', '50');
  addWindowedReplayFlags(command, { keepsProfiles: true }).action(
    async (named: string, query: string | undefined, flags: SqlFlags) => {
      checkTop(flags.top);
      if ((flags.format === 'parquet') !== (flags.output !== undefined))
        throw new DprofError(
          '--format parquet and -o go together',
          'for example --format parquet -o types.parquet; to write other files, dprof sql ... > FILE',
          2,
        );
      if (query === undefined && !isatty(0))
        throw new DprofError('there is no query', "for example dprof sql run.dptrace 'select count(*) from refs'", 2);
      const use = (database: DatabaseClass, of: OpenedRun): Promise<void> =>
        query === undefined ? ask(database, flags, of) : answer(database, query, flags, of);
      if (isDataset(named)) {
        refuseReplayFlags(flags, `for ${named}: its rows are made`, 'make the dataset with them');
        return withDataset(named, use);
      }
      const request = parseReplayFlags(flags);
      await withTraceFile(named, async (path) => withDatabase([path], request, nameTraces([named]), use));
    },
  );
}

async function withDataset(
  folder: string,
  use: (database: DatabaseClass, of: OpenedRun) => Promise<void>,
): Promise<void> {
  const { manifest, files } = openDataset(folder);
  const { Database } = await import('../sql/database.js');
  const database = await Database.open(null);
  try {
    await database.readRefs(files);
    await use(database, { command: manifest.command, machine: manifest.machine, scanned: { rows: 0 } });
  } finally {
    database.close();
  }
}

/** What a database is of. */
export interface OpenedRun {
  readonly command: readonly string[];
  readonly machine: object;
  /** References that queries have scanned. */
  readonly scanned: { rows: number };
}

/** Shared with `dprof export --to dataset`. */
export async function withDatabase(
  paths: readonly string[],
  request: ReplayRequest,
  named: string,
  use: (database: DatabaseClass, of: OpenedRun) => Promise<void>,
): Promise<void> {
  const { Database } = await import('../sql/database.js'); // loading DuckDB takes longer than most commands
  const scanned = { rows: 0 };
  const { input, command } = await streamInput(paths, request);
  const database = await Database.open({
    input,
    engine: request.engine,
    profile: async (views) => {
      const isWanted = FLOW_VIEWS.some((view) => views.includes(view));
      const flow = parseFlowFlags({}, { isWanted, isOneSchedule: true });
      const sharedVariables = SHARED_VARIABLE_VIEWS.some((view) => views.includes(view));
      return (await replayTrace(paths, { ...request, flow, sharedVariables }, named))[0];
    },
    onRows: (count) => void (scanned.rows += count),
  });
  try {
    await use(database, { command, machine: input.machine, scanned });
  } finally {
    database.close();
  }
}

/** Shows how many references were scanned, until `work` is done, or says that its answer comes. */
export async function withScanProgress<Result>(
  scanned: OpenedRun['scanned'],
  work: (answers: () => void) => Promise<Result>,
): Promise<Result> {
  scanned.rows = 0;
  const line = new ProgressLine((seconds) => {
    const { rows } = scanned;
    if (rows === 0) return '';
    return `${formatCount(rows)} references, ${(rows / seconds / 1e6).toFixed(1)} million/s, ${seconds.toFixed(0)} s`;
  });
  try {
    return await work(() => line.stop());
  } finally {
    line.stop();
  }
}

async function answer(database: DatabaseClass, query: string, flags: SqlFlags, { scanned }: OpenedRun): Promise<void> {
  await withScanProgress(scanned, async (answers) => {
    if (flags.format === 'parquet') return void (await database.copy(query, flags.output!));
    const output = new StandardOutput();
    await database.query(query, async (result) => {
      for await (const text of spell(result, flags)) {
        answers();
        output.write(text);
      }
    });
    output.flush();
  });
}

function spell(result: DuckDBResult, { format, top }: SqlFlags): AsyncIterable<string> {
  if (format === 'json') return spellJson(result);
  if (format === 'csv') return spellCsv(result);
  return spellTable(result, (isatty(1) && process.stdout.columns) || 80, Number(top));
}

/** Statements end with a semicolon; an empty one, .quit or the end of the input ends. */
async function ask(database: DatabaseClass, flags: SqlFlags, of: OpenedRun): Promise<void> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  prompt.setPrompt('dprof> ');
  prompt.prompt();
  let text = '';
  for await (const line of prompt) {
    text = `${text}${line}\n`;
    if (/^\s*(\.quit|\.exit|quit|exit)\s*$/.test(text)) break;
    if (/;\s*$/.test(text)) {
      await answer(database, text, flags, of).catch(printError);
      text = '';
    }
    prompt.setPrompt(text.trim() === '' ? 'dprof> ' : '  ...> ');
    prompt.prompt();
  }
  prompt.close();
}
