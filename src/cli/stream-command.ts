// Stage: command line. `dprof stream`: the references of a trace as rows of the columns that are asked for.

import { Option, type Command } from 'commander';
import { resolveMachine } from '../machine/parse-machine.js';
import { replayInput } from '../replay/open-trace.js';
import { defaultCores } from '../replay/recorded-cpus.js';
import { neededOf, ROW_FORMATS, RowText, type RowFormat } from '../stream/row-text.js';
import { parseConditions } from '../stream/row-filter.js';
import { COLUMN_NAMES, parseColumns } from '../stream/stream-columns.js';
import { readReferences } from '../stream/read-references.js';
import { parseReplayFlags } from './machine-options.js';
import { openFor } from './replay-trace.js';
import { StandardOutput } from './standard-output.js';
import { withTraceFile } from './trace-source.js';

interface StreamFlags {
  readonly columns: string;
  readonly where: readonly string[];
  readonly format: RowFormat;
  readonly engine: 'native' | 'ts';
}

export function addStreamCommand(program: Command): void {
  program
    .command('stream')
    .description('print every reference of a trace as a row of the columns that are asked for')
    .argument('<trace>', 'trace that dprof record wrote (-: standard input)')
    .option('--columns <names>', `with commas: ${COLUMN_NAMES.join(', ')}`, 'thread,kind,address,size,type,field,line')
    .option(
      '--where <condition>',
      'only rows with this: COLUMN=VALUE, !=, <, <=, >, >=; several must all hold',
      collect,
      [],
    )
    .addOption(new Option('--format <format>', 'output format').choices(ROW_FORMATS).default('jsonl'))
    .addOption(new Option('--engine <engine>', 'what reads the trace').choices(['native', 'ts']).default('native'))
    .action(async (named: string, flags: StreamFlags) => {
      const columns = parseColumns(flags.columns);
      const conditions = parseConditions(flags.where);
      const request = parseReplayFlags({ engine: flags.engine });
      await withTraceFile(named, async (path) => {
        const trace = openFor([path], request);
        const input = replayInput(trace, resolveMachine(request.machines[0], defaultCores(trace)), {
          kind: 'recorded',
        });
        const text = new RowText(columns, conditions, flags.format, trace.catalog, input.machine.lineBytes);
        const needed = neededOf([...columns, ...conditions.map(({ column }) => column)]);
        const output = new StandardOutput();
        output.write(text.head);
        for await (const rows of readReferences(input, needed, flags.engine)) output.write(text.spell(rows));
        output.flush();
      });
    });
}

function collect(word: string, words: readonly string[]): string[] {
  return [...words, word];
}
