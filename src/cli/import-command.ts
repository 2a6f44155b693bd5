// Stage: command line. `dprof import`: hardware samples that perf took to a file of samples.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import {
  importSamples,
  type ImportedSamples,
  type ImportOptions,
  type ImportProgress,
} from '../hardware/import/import-samples.js';
import { SamplesError } from '../hardware/samples/samples-error.js';
import { DEFAULT_SCRIPT_FIELDS, parseScriptFields, type ScriptField } from '../hardware/import/perf-script-text.js';
import { formatCount } from '../base/format-number.js';
import { ProgressLine } from './progress.js';
import { StandardOutput } from './standard-output.js';
import { withTraceFile, type WantedFile } from './trace-source.js';

const RECORDING: WantedFile = {
  magics: [],
  what: "perf's data",
  hint: 'perf record -d -o - -- PROGRAM | dprof import - -o SAMPLES',
};

export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description('read memory samples from a perf.data or from the text of perf script')
    .argument('<recording>', 'perf.data, or the text of perf script; -: standard input')
    .requiredOption('-o, --output <samples>', 'samples to write (*.dpsamples)')
    .option(
      '--fields <list>',
      `-F of the perf script that printed the text (default: ${DEFAULT_SCRIPT_FIELDS.join(',')})`,
    )
    .action((recording: string, { output, fields }: ImportFlags) => {
      const list = fields === undefined ? undefined : parseScriptFields(fields);
      return withTraceFile(recording, (path) => run(recording, path, output, list), RECORDING);
    });
}

interface ImportFlags {
  output: string;
  fields?: string;
}

async function run(
  recording: string,
  path: string,
  output: string,
  fields: readonly ScriptField[] | undefined,
): Promise<void> {
  let [done, total] = [0, 0];
  const line = new ProgressLine(() => `importing ${recording}: ${Math.floor((100 * done) / Math.max(1, total))}%`);
  try {
    const imported = await importNamed(
      path,
      output,
      { fields },
      (doneBytes, totalBytes) => void ([done, total] = [doneBytes, totalBytes]),
    );
    const text = new StandardOutput();
    for (const said of summarise(imported)) text.write(`${said}\n`);
    text.flush();
  } finally {
    line.stop();
  }
}

async function importNamed(
  path: string,
  output: string,
  options: ImportOptions,
  onProgress: ImportProgress,
): Promise<ImportedSamples> {
  try {
    return await importSamples(path, output, options, onProgress);
  } catch (error) {
    if (!(error instanceof SamplesError)) throw error;
    throw new DprofError(`${path}: ${error.message}`, error.hint);
  }
}

function* summarise({ samples, tables }: ImportedSamples): Generator<string> {
  const events = tables.events.filter((event) => event.samples > 0).length;
  yield `${formatCount(samples)} ${samples === 1 ? 'sample' : 'samples'} of ${formatCount(events)} ` +
    `${events === 1 ? 'event' : 'events'}`;
  const { records, samples: dropped, truncatedAux } = tables.lost;
  if (records + dropped + truncatedAux > 0)
    yield `lost: ${formatCount(records)} records without room, ${formatCount(dropped)} samples dropped, ` +
      `${formatCount(truncatedAux)} trace buffers cut short`;
  for (const [what, count] of Object.entries(tables.lost.skipped)) yield `left out: ${formatCount(count)} ${what}`;
}
