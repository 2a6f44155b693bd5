// Stage: SQL -> dataset. The references of a run as Parquet files in a folder, by stretches of time and by thread, with
// a manifest that says what they are. DuckDB, pandas, Spark and ClickHouse read them. docs/datasets.md.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import { numberAsked, type Condition } from '../stream/row-filter.js';
import { STREAM_COLUMNS, type ColumnName } from '../stream/stream-columns.js';
import type { Database } from './database.js';
import { quoteText } from './duckdb.js';

export const DATASET_SCHEMA = 'dprof.dataset/1';
const MANIFEST = 'manifest.json';
/** Rows of a row group: what a worker takes whole. */
const GROUP_ROWS = 1 << 20;

export interface DatasetRequest {
  readonly columns: readonly ColumnName[];
  readonly conditions: readonly Condition[];
  /** Replay time of a stretch. */
  readonly chunkInstructions: number;
}

export interface Manifest {
  readonly schema: typeof DATASET_SCHEMA;
  readonly command: readonly string[];
  readonly machine: object;
  /** Places of the trace, as they were given; undefined: all of it. */
  readonly window?: { readonly from?: string; readonly until?: string; readonly warmUp?: string };
  readonly rows: number;
  readonly chunkInstructions: number;
  readonly columns: readonly { readonly name: ColumnName; readonly about: string }[];
  readonly where: readonly string[];
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

/** `folder` must be new, or empty. Until all is written it has another name. */
export async function writeDataset(
  database: Database,
  folder: string,
  { columns, conditions, chunkInstructions }: DatasetRequest,
  run: Pick<Manifest, 'command' | 'machine' | 'window'>,
): Promise<Manifest> {
  database.requireColumns([...columns, ...conditions.map(({ column }) => column)]);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new DprofError(`${folder} is no folder`, 'name a new folder: -o RUN.dataset', 2);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new DprofError(`${folder} is not empty`, 'name a new folder: a dataset is made whole', 2);
  const unfinished = `${folder.replace(/\/+$/, '')}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  try {
    // Partitions are columns, too: not every reader takes them from the names of folders. Threads may take turns within
    // one replay time: no other column than the number says in which order.
    const written = [...new Set<ColumnName>([...columns, 'thread', 'number'])];
    const where = conditions.length === 0 ? '' : `where ${conditions.map(spellCondition).join(' and ')}`;
    const rows = await database.copy(
      `select ${written.map(quoteName).join(', ')}, time // ${chunkInstructions} as chunk from refs ${where}`,
      join(unfinished, 'refs'),
      // The second version of Parquet packs differences: numbers in order take next to no room.
      `format parquet, parquet_version v2, compression zstd, partition_by (chunk, thread), ` +
        `write_partition_columns true, row_group_size ${GROUP_ROWS}`,
    );
    const manifest: Manifest = {
      schema: DATASET_SCHEMA,
      ...run,
      rows,
      chunkInstructions,
      columns: written.map((name) => ({ name, about: STREAM_COLUMNS[name].about })),
      where: conditions.map(({ column, sign, asked }) => `${column}${sign}${asked}`),
      files: filesIn(unfinished),
    };
    writeFileSync(join(unfinished, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
    return manifest;
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

export function isDataset(path: string): boolean {
  return existsSync(join(path, MANIFEST));
}

/** Its files, each of which is there as it was written. */
export function openDataset(folder: string): { readonly manifest: Manifest; readonly files: readonly string[] } {
  const refuse = (what: string): never => {
    throw new DprofError(`${folder}: ${what}`, 'make it anew: dprof export RUN.dptrace --to dataset -o FOLDER');
  };
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Manifest;
  } catch (error) {
    return refuse(`${MANIFEST} cannot be read: ${(error as Error).message}`);
  }
  if (manifest.schema !== DATASET_SCHEMA)
    refuse(`${MANIFEST} says schema ${String(manifest.schema)}, and this dprof reads ${DATASET_SCHEMA}`);
  if (!Array.isArray(manifest.files)) refuse(`${MANIFEST} names no files`);
  const files = manifest.files.map(({ path, bytes }) => {
    const whole = join(folder, path);
    const found = statSync(whole, { throwIfNoEntry: false })?.size;
    if (found === undefined) refuse(`${path} is missing`);
    if (found !== bytes) refuse(`${path} has ${found} bytes instead of ${bytes}`);
    return whole;
  });
  return { manifest, files };
}

function filesIn(folder: string): Manifest['files'] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ path: relative(folder, path), bytes: statSync(path).size }));
}

function quoteName(name: ColumnName): string {
  return `"${name}"`;
}

/** A value that is not known differs from every value. */
function spellCondition({ column, sign, asked }: Condition): string {
  const name = quoteName(column);
  const isWords = STREAM_COLUMNS[column].kind === 'words';
  const value = isWords ? quoteText(asked) : String(numberAsked(column, asked));
  if (asked === '') return sign === '=' ? `${name} is null` : `${name} is not null`;
  if (!isWords && Number.isNaN(Number(asked))) return sign === '=' ? 'false' : 'true';
  if (sign === '!=') return `${name} is distinct from ${value}`;
  return `${name} ${sign} ${value}`;
}
