// Stage: samples -> profile. What a data source says of the simulated machine's counters: load or store, which levels missed, who served.
// docs/sampled-views.md, "Levels", has the table.

import { storeDataSource } from '../hardware/data-source.js';
import { Operation } from '../hardware/data-source-bits.js';
import { makeColumns } from '../hardware/samples.js';
import { SERVED_BY, type ServedBy } from '../hardware/served-by.js';
import type { Server } from '../replay/machine.js';

/** By level, as LEVELS; null: nobody knows. A level that was not asked, as the one above had the line, did not miss. */
type Missed = readonly [l1: boolean | null, l2: boolean | null, llc: boolean | null];

export interface Outcome {
  readonly kind: 'load' | 'store' | null;
  readonly missed: Missed;
  readonly server: Server | null;
}

const NOBODY_KNOWS: Missed = [null, null, null];
const OF_SERVER: Readonly<Record<ServedBy, { readonly missed: Missed; readonly server: Server | null }>> = {
  unknown: { missed: NOBODY_KNOWS, server: null },
  L1: { missed: [false, false, false], server: 'l1' },
  'fill-buffer': { missed: [true, null, null], server: null },
  L2: { missed: [true, false, false], server: 'l2' },
  L3: { missed: [true, true, false], server: 'llc' },
  'other-cache': { missed: [true, true, null], server: 'cache' },
  'remote-cache': { missed: [true, true, true], server: 'remote-cache' },
  memory: { missed: [true, true, true], server: 'memory' },
  'remote-memory': { missed: [true, true, true], server: 'remote-memory' },
  io: { missed: NOBODY_KNOWS, server: null },
  uncached: { missed: NOBODY_KNOWS, server: null },
  'past-L1': { missed: [true, null, null], server: null },
  'past-L2': { missed: [true, true, null], server: null },
  'past-L3': { missed: [true, true, true], server: null },
};

const parts = makeColumns(1);

export function outcomeOf(dataSource: bigint): Outcome {
  storeDataSource(parts, 0, Number(dataSource & 0xffffffffn), Number(dataSource >> 32n));
  const operation = parts.operation[0];
  const kind = operation & Operation.store ? 'store' : operation & Operation.load ? 'load' : null;
  // Of a prefetch or a fetch of code a level may be known, but it is no access.
  return kind === null ? { kind, ...OF_SERVER.unknown } : { kind, ...OF_SERVER[SERVED_BY[parts.servedBy[0]]] };
}
