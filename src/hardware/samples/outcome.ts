// Stage: hardware. A data source -> what it says of a machine's counters: load or store, which levels missed, who
// served. docs/sampled-views.md, "Levels", has the table.

import { splitDataSource } from './data-source.js';
import { Operation } from './data-source-bits.js';
import type { ServedBy } from './served-by.js';
import type { Server } from '../../contract/machine.js';

/** By level, as LEVELS; null: nobody knows. A level that was not asked, as the one above had the line, did not miss. */
type Missed = readonly [l1: boolean | null, l2: boolean | null, llc: boolean | null];

export interface Outcome {
  readonly kind: 'load' | 'store' | null;
  readonly servedBy: ServedBy;
  readonly missed: Missed;
  readonly server: Server | null;
}

const NOBODY_KNOWS: Missed = [null, null, null];
const OF_SERVER: Readonly<Record<ServedBy, { readonly missed: Missed; readonly server: Server | null }>> = {
  unknown: { missed: NOBODY_KNOWS, server: null },
  L1: { missed: [false, false, false], server: 'l1' },
  // Missed by the access that asked for the line: a hit of this one, as in the replay and in Intel's own counts of
  // misses.
  'fill-buffer': { missed: [false, false, false], server: null },
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

/** There are few, and a file's rows have each often. */
const known = new Map<bigint, Outcome>();

export function outcomeOf(dataSource: bigint): Outcome {
  let outcome = known.get(dataSource);
  if (outcome === undefined) {
    if (known.size > 4096) known.clear(); // damaged files have any bits
    known.set(dataSource, (outcome = decide(dataSource)));
  }
  return outcome;
}

function decide(dataSource: bigint): Outcome {
  const { operation, servedBy: server } = splitDataSource(dataSource);
  const kind = operation & Operation.store ? 'store' : operation & Operation.load ? 'load' : null;
  // A prefetch or a fetch of code may have a known level, but it is no access.
  const servedBy = kind === null ? 'unknown' : server;
  return { kind, servedBy, ...OF_SERVER[servedBy] };
}
