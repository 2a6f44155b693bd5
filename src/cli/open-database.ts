// Stage: command line. The database that `dprof sql` asks: of traces, or of a dataset.

import { writeSync } from 'node:fs';
import type { Database as DatabaseClass } from '../sql/database.js';
import { openDataset } from '../sql/dataset.js';
import { FLOW_VIEWS, SHARED_VARIABLE_VIEWS } from '../views/views.js';
import { parseFlowFlags } from './flow-options.js';
import type { ReplayRequest } from './machine-options.js';
import { replayTrace } from './replay-trace.js';
import { streamInput } from './stream-input.js';

export async function withDataset(
  folder: string,
  use: (database: DatabaseClass, of: OpenedRun) => Promise<void>,
): Promise<void> {
  const { manifest, files } = openDataset(folder);
  const { Database } = await import('../sql/database.js');
  const database = await Database.open(null);
  try {
    await database.readRefs(
      files,
      manifest.columns.map(({ name }) => name),
    );
    await use(database, { scanned: { rows: 0 } });
  } finally {
    database.close();
  }
}

/** The run that a database is of. */
export interface OpenedRun {
  /** References that queries have scanned. */
  readonly scanned: { rows: number };
}

export async function withDatabase(
  paths: readonly string[],
  request: ReplayRequest,
  named: string,
  use: (database: DatabaseClass, of: OpenedRun) => Promise<void>,
): Promise<void> {
  const { Database } = await import('../sql/database.js'); // loading DuckDB takes longer than most commands
  const scanned = { rows: 0 };
  const { input } = await streamInput(paths, request);
  const database = await Database.open({
    input,
    engine: request.engine,
    profile: async (views) => {
      const isWanted = FLOW_VIEWS.some((view) => views.includes(view));
      const flow = parseFlowFlags({}, { isWanted, isOneSchedule: true });
      const sharedVariables = SHARED_VARIABLE_VIEWS.some((view) => views.includes(view));
      return (await replayTrace(paths, { ...request, flow, sharedVariables }, named))[0];
    },
    onRows: (count) => void (scanned.rows += count),
    onNote: (note) => void writeSync(2, `dprof: ${note}\n`),
  });
  try {
    await use(database, { scanned });
  } finally {
    database.close();
  }
}
