// Stage: command line. `dprof sql`: questions in SQL about a trace, one or, on a terminal, one after the other.

import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import type { Database as DatabaseClass } from '../sql/database.js';
import { isDataset } from '../sql/dataset.js';
import { addWindowedReplayFlags, parseReplayFlags, refuseReplayFlags, type ReplayFlags } from './machine-options.js';
import { printError } from './print-error.js';
import { refuseOwnInput } from './own-input.js';
import { withDatabase, withDataset, type OpenedRun } from './open-database.js';
import { withScanProgress } from './progress.js';
import { checkTop } from './report-options.js';
import { StandardOutput, terminalWidth } from './standard-output.js';
import { nameTraces, withTraceFile } from './trace-source.js';

const QUERY_FORMATS = ['text', 'json', 'csv', 'parquet'] as const;

interface SqlFlags extends ReplayFlags {
  readonly format: (typeof QUERY_FORMATS)[number];
  readonly output?: string;
  readonly top: string;
}

export function addSqlCommand(program: Command): void {
  const command = program
    .command('sql')
    .description('ask a trace in SQL (DuckDB): its references as they stream, its objects, and every view')
    .argument('<trace>', 'trace that dprof record wrote (-: standard input), or a dataset (docs/datasets.md)')
    .argument('[query]', 'statements; without any, a prompt (docs/sql.md has the tables)')
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
      if (flags.output !== undefined) refuseOwnInput(flags.output, [named]);
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

async function answer(database: DatabaseClass, query: string, flags: SqlFlags, { scanned }: OpenedRun): Promise<void> {
  const { format, top } = flags;
  const { isAnswer, joinJson, spellCsv, spellJson, spellTable } = await import('../sql/query-text.js'); // loads DuckDB
  await withScanProgress(scanned, async (answers) => {
    if (format === 'parquet') return database.copy(query, flags.output!);
    const output = new StandardOutput();
    const write = (text: string): void => {
      answers();
      output.write(text);
    };
    /** Of several statements: how JSON begins, the second answer says. */
    const held: string[][] = [];
    let isFirst = true;
    await database.query(query, async (result, isOnly) => {
      if (!isOnly && !isAnswer(result)) return;
      const pieces =
        format === 'json'
          ? spellJson(result)
          : format === 'csv'
            ? spellCsv(result)
            : spellTable(result, terminalWidth(), Number(top));
      const own: string[] | null = format === 'json' && !isOnly ? [] : null;
      if (own !== null) held.push(own);
      else if (!isFirst) write('\n');
      isFirst = false;
      for await (const text of pieces) {
        if (own === null) write(text);
        else own.push(text);
      }
      output.flush(); // the next statement may fail
    });
    if (held.length > 0) for (const text of joinJson(held)) write(text);
    output.flush();
  });
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
