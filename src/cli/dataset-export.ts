// Stage: command line. `dprof export --to dataset`: the references of a trace as a folder of Parquet files.

import { writeSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import { formatBytes, formatCount } from '../base/format-number.js';
import { writeDataset } from '../sql/dataset.js';
import { parseConditions } from '../stream/row-filter.js';
import { parseColumns, type ColumnName } from '../stream/stream-columns.js';
import { parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { withDatabase } from './open-database.js';
import { withScanProgress } from './progress.js';
import { nameTraces, withTraceFiles } from './trace-source.js';

export const DATASET_COLUMNS = [
  'time',
  'thread',
  'kind',
  'address',
  'size',
  'type',
  'field',
  'variable',
  'function',
  'file',
  'line',
  'object',
  'miss',
  'l2Miss',
  'llcMiss',
  'latency',
] as const satisfies readonly ColumnName[];

interface DatasetFlags extends ReplayFlags {
  readonly output: string;
  readonly columns?: string;
  readonly where: readonly string[];
  readonly chunk?: string;
}

export async function exportDataset(files: readonly string[], flags: DatasetFlags): Promise<void> {
  const columns = flags.columns === undefined ? DATASET_COLUMNS : parseColumns(flags.columns);
  const request = { columns, conditions: parseConditions(flags.where), chunkInstructions: parseChunk(flags.chunk) };
  const { from, until, warmUp } = flags;
  const window = [from, until, warmUp].some(Boolean) && { window: { from, until, warmUp } };
  if (flags.output === '-') throw new DprofError('a dataset is a folder', 'name it: -o FOLDER', 2);
  await withTraceFiles(files, (paths) =>
    withDatabase(paths, parseReplayFlags(flags), nameTraces(files), async (database, { command, machine, scanned }) => {
      const { rows, files: written } = await withScanProgress(scanned, () =>
        writeDataset(database, flags.output, request, { command, machine, ...window }),
      );
      const bytes = written.reduce((sum, file) => sum + file.bytes, 0);
      const each = rows === 0 ? '' : `, ${(bytes / rows).toFixed(2)} bytes each`;
      writeSync(2, `dprof: ${flags.output}: ${formatCount(rows)} references in ${formatBytes(bytes)}${each}\n`);
    }),
  );
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9 };

function parseChunk(text = '100M'): number {
  const [, digits, unit] = /^(\d{1,12})([KMG]?)$/i.exec(text) ?? [];
  const instructions = digits === undefined ? 0 : Number(digits) * UNITS[unit.toUpperCase()];
  if (instructions >= 1 && Number.isSafeInteger(instructions)) return instructions;
  throw new DprofError(`--chunk: '${text}' is no number of instructions`, 'for example --chunk 100M', 2);
}
