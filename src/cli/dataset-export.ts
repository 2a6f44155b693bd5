// Stage: command line. `dprof export --to dataset`: the references of a trace as a folder of Parquet files.

import { writeSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import { formatBytes, formatCount } from '../base/format-number.js';
import { parseConditions } from '../stream/row-filter.js';
import { parseColumns, type ColumnName } from '../stream/stream-columns.js';
import { parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { withScanProgress } from './progress.js';
import { streamInput } from './stream-input.js';
import { withTraceFiles } from './trace-source.js';

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
  const asked = parseReplayFlags(flags);
  await withTraceFiles(files, async (paths) => {
    const { writeDataset } = await import('../sql/write-dataset.js'); // loading DuckDB takes longer than most commands
    const { input, command } = await streamInput(paths, asked);
    const scanned = { rows: 0 };
    const onRows = (count: number): void => void (scanned.rows += count);
    const run = { input, command, ...window, engine: asked.engine, workers: asked.workers, onRows };
    const { rows, files: written } = await withScanProgress(scanned, () => writeDataset(flags.output, request, run));
    const bytes = written.reduce((sum, file) => sum + file.bytes, 0);
    const each = rows === 0 ? '' : `, ${(bytes / rows).toFixed(2)} bytes each`;
    writeSync(2, `dprof: ${flags.output}: ${formatCount(rows)} references in ${formatBytes(bytes)}${each}\n`);
  });
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9 };

function parseChunk(text = '100M'): number {
  const [, digits, unit] = /^(\d{1,12})([KMG]?)$/i.exec(text) ?? [];
  const instructions = digits === undefined ? 0 : Number(digits) * UNITS[unit.toUpperCase()];
  if (instructions >= 1 && Number.isSafeInteger(instructions)) return instructions;
  throw new DprofError(`--chunk: '${text}' is no number of instructions`, 'for example --chunk 100M', 2);
}
