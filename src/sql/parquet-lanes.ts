// Stage: dataset -> Parquet. Blocks as files, several at a time: DuckDB writes each on a thread of its own. So the
// rows of a file are in the order of the block.

import { DuckDBInstance, DuckDBTableFunction, type DuckDBConnection } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { DprofError } from '../base/dprof-error.js';
import type { PackedColumn, PackedRows } from '../stream/packed-column.js';
import { CHUNK_ROWS, quoteText } from './duckdb.js';
import { fillChunk, typeOf, widenedRows } from './packed-scan.js';
import { BLOCK_ROWS, type Block } from './partitions.js';

const MOST_MEMORY = '600MB';
/** The second version of Parquet packs differences: numbers in order take next to no room. */
const OPTIONS = `format parquet, parquet_version v2, compression zstd, row_group_size ${BLOCK_ROWS}`;

/** The columns of the files, in SQL, of those of blocks. */
export interface ParquetColumns {
  readonly columns: readonly PackedColumn[];
  readonly select: string;
}

export class ParquetLanes {
  private constructor(private readonly lanes: readonly Lane[]) {}

  static async open({ columns, select }: ParquetColumns, count: number): Promise<ParquetLanes> {
    const instance = await DuckDBInstance.create(':memory:', { memory_limit: MOST_MEMORY, threads: '1' });
    const lanes = Array.from({ length: count }, async (_, number) => {
      const name = `scan_block_${number}`;
      return new Lane(await instance.connect(), name, columns, `select ${select} from ${name}()`);
    });
    return new ParquetLanes(await Promise.all(lanes));
  }

  /** Returns when the block is on its way; an error of an earlier one is thrown here, or by `finish`. */
  async write(block: Block, path: string): Promise<void> {
    const lane = await Promise.race(this.lanes.map((each) => each.isFree));
    lane.begin(block, path);
  }

  async finish(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.isFree));
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await Promise.allSettled(this.lanes.map((lane) => lane.isFree));
    for (const lane of this.lanes) lane.close();
  }
}

class Lane {
  /** With itself; with the error, if a block failed. */
  isFree: Promise<Lane> = Promise.resolve(this);
  #batches: Block['batches'] = [];
  #columns: readonly PackedRows[] = [];
  #count = 0;
  #at = 0;

  constructor(
    private readonly connection: DuckDBConnection,
    name: string,
    columns: readonly PackedColumn[],
    private readonly query: string,
  ) {
    connection.registerTableFunction(
      DuckDBTableFunction.create({
        name,
        bindFunction: (info) => {
          for (const column of columns) info.addResultColumn(column.name, typeOf(column));
        },
        initFunction: (info) => info.setInitData({}),
        mainFunction: (_, { chunk }) => this.#fill(chunk),
      }),
    );
  }

  begin({ batches }: Block, path: string): void {
    this.#batches = batches;
    const copied = this.connection.run(`copy (${this.query}) to ${quoteText(path)} (${OPTIONS})`);
    this.isFree = copied.then(
      () => this,
      (error: unknown) => {
        throw refusal(error);
      },
    );
    this.isFree.catch(() => {}); // whoever waits for a lane gets it
  }

  close(): void {
    this.connection.closeSync();
  }

  #fill(chunk: duckdb.DataChunk): void {
    if (this.#at === this.#count) {
      const next = this.#batches.shift();
      this.#at = this.#count = 0;
      if (next === undefined) return duckdb.data_chunk_set_size(chunk, 0);
      this.#count = next.count;
      this.#columns = next.columns.map(widenedRows);
    }
    const count = Math.min(CHUNK_ROWS, this.#count - this.#at);
    fillChunk(chunk, this.#columns, this.#at, count);
    this.#at += count;
  }
}

/** DuckDB's words in one line. */
function refusal(error: unknown): DprofError {
  const [first] = (error as Error).message.split('\n');
  const hint = first.startsWith('Out of Memory') ? 'ask for fewer columns' : 'choose another place: -o FOLDER';
  return new DprofError(`the dataset: ${first}`, hint);
}
