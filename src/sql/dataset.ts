// Stage: SQL. A dataset: the references of a run as Parquet files in a folder, by stretches of time and by thread, with
// a manifest that says what they are. DuckDB, pandas, Spark and ClickHouse read them. docs/datasets.md.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import { STREAM_COLUMNS, type ColumnName } from '../stream/stream-columns.js';

export const DATASET_SCHEMA = 'dprof.dataset/1';
export const MANIFEST = 'manifest.json';
const FILE = /^([\w=-]+\/)+[\w-]+\.parquet$/;

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
  if (typeof manifest !== 'object' || manifest === null) return refuse(`${MANIFEST} is no object`);
  if (manifest.schema !== DATASET_SCHEMA)
    refuse(`${MANIFEST} says schema ${spell(manifest.schema)}, and this dprof reads ${DATASET_SCHEMA}`);
  if (!isListOf(manifest.files, isFile)) return refuse(`${MANIFEST} names no files, or one that is not in the folder`);
  if (!isListOf(manifest.columns, ({ name }) => name in STREAM_COLUMNS)) return refuse(`${MANIFEST} names no columns`);
  const files = manifest.files.map(({ path, bytes }) => {
    const whole = join(folder, path);
    const found = statSync(whole, { throwIfNoEntry: false })?.size;
    if (found === undefined) refuse(`${path} is missing`);
    if (found !== bytes) refuse(`${path} has ${found} bytes instead of ${bytes}`);
    return whole;
  });
  return { manifest, files };
}

function isListOf<Item extends object>(list: readonly Item[], isRight: (item: Item) => boolean): boolean {
  return Array.isArray(list) && list.every((item) => typeof item === 'object' && item !== null && isRight(item));
}

/** Paths go down from the folder, by names that no glob is in: DuckDB takes them as patterns. */
function isFile({ path, bytes }: Manifest['files'][number]): boolean {
  return typeof path === 'string' && path.length < 1000 && FILE.test(path) && Number.isSafeInteger(bytes);
}

/** In a line. */
function spell(value: unknown): string {
  return (typeof value === 'string' ? value : String(JSON.stringify(value))).slice(0, 80);
}
