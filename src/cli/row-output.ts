// Stage: command line. Rows of references as they are asked for (--columns, --where, --format), on standard output or
// in a file.

import { isatty } from 'node:tty';
import { DprofError } from '../base/dprof-error.js';
import type { PackedFilter } from '../stream/packed-filter.js';
import type { PackedBatch } from '../stream/read-references.js';
import { parseConditions, type Condition } from '../stream/row-filter.js';
import { ROW_FORMATS, RowText, type RowFormat } from '../stream/row-text.js';
import { parseColumns, type ColumnName } from '../stream/stream-columns.js';
import { StandardOutput } from './standard-output.js';

export const DEFAULT_COLUMNS = 'thread,kind,address,size,type,field,line';
export const OUTPUT_FORMATS = [...ROW_FORMATS, 'arrow'] as const;

export interface AskedRows {
  readonly columns: readonly ColumnName[];
  readonly conditions: readonly Condition[];
  readonly format: RowFormat | 'arrow';
}

/** `columns`: names with commas. */
export function parseRows(
  columns: string,
  where: readonly string[],
  format: AskedRows['format'],
  isTerminal = isatty(1),
): AskedRows {
  if (format === 'arrow' && isTerminal)
    throw new DprofError('--format arrow is not for a terminal', 'dprof stream ... | python3 mine.py', 2);
  return { columns: parseColumns(columns), conditions: parseConditions(where), format };
}

/** All rows of one stream, in parts whose filters may differ in how they number words; of Arrow, one part. */
export class RowOutput {
  readonly #output = new StandardOutput();
  #isFirst = true;

  /** `put`: where they go, if not to standard output. */
  constructor(
    private readonly format: AskedRows['format'],
    private readonly put?: (bytes: Uint8Array) => Promise<void>,
  ) {}

  async write(filter: PackedFilter, rows: AsyncIterable<PackedBatch>): Promise<void> {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (this.format === 'arrow') {
      const { arrowStream } = await import('../stream/arrow-stream.js');
      for await (const piece of arrowStream(filter.asked, rows)) await this.#write(piece);
      return;
    }
    const text = new RowText(filter.asked, this.format);
    if (isFirst) await this.#write(Buffer.from(text.head));
    for await (const batch of rows) await this.#write(Buffer.from(text.spell(batch))); // a reader may wait for it
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.put) await this.put(bytes);
    else this.#output.writeBytes(bytes);
  }
}
