// Stage: test. A recording's samples as one set of columns.

import { bytesOfBuffer } from '../../src/profile/byte-source.js';
import { readSamples, type ImportOptions } from '../../src/hardware/import/import-samples.js';
import { COLUMN_NAMES, type ColumnName, type SampleTables } from '../../src/hardware/samples/samples.js';

export interface Collected {
  readonly tables: SampleTables;
  readonly columns: Readonly<Record<ColumnName, (number | bigint)[]>>;
}

export function collect(recording: Buffer, options: ImportOptions = {}): Collected {
  const columns = Object.fromEntries(COLUMN_NAMES.map((name) => [name, [] as (number | bigint)[]])) as Record<
    ColumnName,
    (number | bigint)[]
  >;
  const tables = readSamples(
    bytesOfBuffer(recording),
    (chunk, rows) => {
      for (const name of COLUMN_NAMES) for (let row = 0; row < rows; row++) columns[name].push(chunk[name][row]);
    },
    options,
  );
  return { tables, columns };
}
