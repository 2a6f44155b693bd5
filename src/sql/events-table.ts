// Stage: stream -> SQL. The events of a run as a table that DuckDB scans: read anew by each scan, and never kept.

import { DuckDBTableFunction, UBIGINT, VARCHAR, type DuckDBConnection } from '@duckdb/node-api';
import type { ReplayInput } from '../contract/input.js';
import { EVENT_COLUMNS, readEvents, type RunEvent } from '../stream/events.js';
import { CHUNK_ROWS, type ScanWatcher } from './duckdb.js';

const NAMES = Object.keys(EVENT_COLUMNS) as (keyof RunEvent)[];

export function addEvents(connection: DuckDBConnection, input: ReplayInput, watcher: ScanWatcher): void {
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: 'scan_events',
      bindFunction: (info) => {
        for (const name of NAMES) info.addResultColumn(name, EVENT_COLUMNS[name] === 'text' ? VARCHAR : UBIGINT);
      },
      initFunction: (info) => {
        const rows = readEvents(input);
        watcher.opened(() => void rows.return(undefined));
        info.setInitData(rows);
      },
      mainFunction: (info, output) => {
        try {
          const rows = take(info.initData as Generator<RunEvent>);
          output.rowCount = rows.length;
          NAMES.forEach((name, at) => {
            const values = rows.map((row) => row[name]);
            output.setColumnValues(
              at,
              values.map((value) => (typeof value === 'number' ? BigInt(value) : value)),
            );
          });
        } catch (error) {
          watcher.failure(error);
          info.setError((error as Error).message);
        }
      },
    }),
  );
}

function take(events: Generator<RunEvent>): RunEvent[] {
  const rows: RunEvent[] = [];
  while (rows.length < CHUNK_ROWS) {
    const { done, value } = events.next();
    if (done === true) break;
    rows.push(value);
  }
  return rows;
}
