// Stage: stream -> dataset. The references of a run as files in a folder (dataset.ts), which are made side by side.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import { removeOnSignal } from '../base/removed-on-signal.js';
import type { ReplayInput } from '../contract/input.js';
import type { EngineName } from '../replay/replay.js';
import { PackedFilter } from '../stream/packed-filter.js';
import { readPacked, type PackedBatch } from '../stream/read-references.js';
import type { Condition } from '../stream/row-filter.js';
import { STREAM_COLUMNS, type ColumnName } from '../stream/stream-columns.js';
import { DATASET_SCHEMA, MANIFEST, type Manifest } from './dataset.js';
import { joinParquet } from './join-parquet.js';
import { ParquetLanes } from './parquet-lanes.js';
import { Partitions, type Block } from './partitions.js';

const REFS = 'refs';
/** Files that are written at a time: DuckDB holds all of each. */
const MOST_LANES = 4;

export interface DatasetRequest {
  readonly columns: readonly ColumnName[];
  readonly conditions: readonly Condition[];
  /** Replay time of a stretch. */
  readonly chunkInstructions: number;
}

/** The run that a dataset is made of. */
export interface RunOfDataset extends Pick<Manifest, 'command' | 'window'> {
  readonly input: ReplayInput;
  readonly engine: EngineName;
  readonly workers?: number;
  /** Told of references as they are read. */
  readonly onRows: (count: number) => void;
}

/** `folder` must be new, or empty. Until all is written it has another name. */
export async function writeDataset(folder: string, request: DatasetRequest, run: RunOfDataset): Promise<Manifest> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new DprofError(`${folder} is no folder`, 'name a new folder: -o RUN.dataset', 2);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new DprofError(`${folder} is not empty`, 'name a new folder: a dataset is made whole', 2);
  const unfinished = `${folder.replace(/\/+$/, '')}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const keepOnSignal = removeOnSignal(unfinished);
  mkdirSync(join(unfinished, REFS), { recursive: true });
  try {
    // Partitions are columns, too: not every reader takes them from the names of folders. Threads may take turns within
    // one replay time: no other column than the number says in which order.
    const columns = [...new Set<ColumnName>([...request.columns, 'thread', 'number'])];
    const rows = await writeRefs(join(unfinished, REFS), columns, request, run);
    const { command, window, input } = run;
    const manifest: Manifest = {
      schema: DATASET_SCHEMA,
      command,
      machine: input.machine,
      ...(window && { window }),
      rows,
      chunkInstructions: request.chunkInstructions,
      columns: columns.map((name) => ({ name, about: STREAM_COLUMNS[name].about })),
      where: request.conditions.map(({ column, sign, asked }) => `${column}${sign}${asked}`),
      files: filesIn(unfinished),
    };
    writeFileSync(join(unfinished, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
    return manifest;
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  } finally {
    keepOnSignal();
  }
}

/** Says how many rows there are. */
async function writeRefs(
  folder: string,
  columns: readonly ColumnName[],
  { conditions, chunkInstructions }: DatasetRequest,
  { input, engine, workers = availableParallelism(), onRows }: RunOfDataset,
): Promise<number> {
  const read = [...new Set<ColumnName>([...columns, 'time'])];
  const filter = new PackedFilter(read, conditions, input);
  const at = { time: read.indexOf('time'), thread: read.indexOf('thread') };
  const partitions = new Partitions(at, chunkInstructions);
  const select = `${columns.map((name) => `"${name}"`).join(', ')}, "time" // ${chunkInstructions} as chunk`;
  const lanes = await ParquetLanes.open({ columns: filter.asked, select }, Math.min(workers, MOST_LANES));
  /** By folder, in order. */
  const parts = new Map<string, string[]>();
  let rows = 0;
  const write = async (blocks: Iterable<Block>): Promise<void> => {
    for (const block of blocks) {
      const place = join(folder, `chunk=${block.chunk}`, `thread=${block.thread}`);
      const before = parts.get(place) ?? [];
      if (before.length === 0) mkdirSync(place, { recursive: true });
      const part = join(place, `${before.length}.part`);
      parts.set(place, [...before, part]);
      await lanes.write(block, part);
    }
  };
  try {
    for await (const batch of filter.chosen(counted(readPacked(input, filter.columns, engine, workers), onRows))) {
      rows += batch.count;
      await write(partitions.take(batch));
    }
    await write(partitions.finish());
    await lanes.finish();
  } finally {
    await lanes.close();
  }
  for (const [place, own] of parts) joinParts(own, join(place, 'data_0.parquet'));
  return rows;
}

/** Row groups, which were written side by side, in the one file of their folder. */
function joinParts(parts: readonly string[], path: string): void {
  if (parts.length === 1) return renameSync(parts[0], path);
  joinParquet(parts, path);
  for (const part of parts) rmSync(part);
}

async function* counted(
  batches: AsyncIterable<PackedBatch>,
  onRows: (count: number) => void,
): AsyncGenerator<PackedBatch> {
  for await (const batch of batches) {
    onRows(batch.count);
    yield batch;
  }
}

function filesIn(folder: string): Manifest['files'] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ path: relative(folder, path), bytes: statSync(path).size }));
}
