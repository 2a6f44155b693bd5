// Replays a drawing and writes next to each row what its accesses met: server, then the class of the L1 miss.

import { expect } from 'vitest';
import { dumpReferences } from '../../src/dump/reference-text.js';
import { CLASSES, SERVERS, type Machine, type Schedule } from '../../src/contract/machine.js';
import { DEFAULT_MOST_PATHS, type FlowRequest } from '../../src/contract/flow-result.js';
import type { ReplayInput } from '../../src/contract/input.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { flowRequest, type PathBy } from '../../src/replay/places.js';
import { defaultCores, withRecordedCpus } from '../../src/replay/recorded-cpus.js';
import { COUNTERS, type ReplayResult } from '../../src/contract/result.js';
import type { ReplayWindow } from '../../src/contract/window.js';
import { simulate } from '../../src/sim/simulate.js';
import type { Catalog } from '../../src/contract/catalog.js';
import { traceFile } from '../random/trace-file.js';
import { requireOrder } from '../order/require-order.js';
import { parseDrawing } from './drawing.js';
import { drawnTrace, type DrawnMemory } from './drawn-trace.js';

export interface DrawnOptions extends DrawnMemory {
  readonly machine?: Partial<Machine>;
  /** Threads are on the CPUs that they say; columns are threads then, and cores as many as CPUs. */
  readonly isOnCpus?: boolean;
  readonly schedule?: Exclude<Schedule['kind'], 'random'>;
  /** The part of it that counts; a row outside meets nothing: `=>` and no more. */
  readonly window?: ReplayWindow;
  /** The flow is collected; numbers other than the usual ones. */
  readonly flow?: Partial<FlowRequest> & { readonly by?: PathBy };
  /** Shared variables are asked for, with room for so many counts. */
  readonly mostSharedCounts?: number;
}

export interface DrawnReplay {
  readonly input: ReplayInput;
  readonly result: ReplayResult;
  readonly catalog: Catalog;
  /** Lines of `dump --references`. */
  readonly references: readonly string[];
  /** A counter summed over all tallies, or over those of a row. */
  count(counter: string, row?: number): number;
}

/** L1 two sets of two lines, L2 four of two, LLC eight of four. */
export const SMALL: Omit<Machine, 'cores' | 'coresPerLlc'> = {
  name: 'small',
  lineBytes: 64,
  l1: { sizeBytes: 256, ways: 2, latencyCycles: 4 },
  l2: { sizeBytes: 512, ways: 2, latencyCycles: 14 },
  llc: { sizeBytes: 2048, ways: 4, latencyCycles: 50 },
  memoryLatencyCycles: 200,
  cacheToCacheLatencyCycles: 170,
};

export function replayDrawing(text: string, options: DrawnOptions = {}): DrawnReplay {
  const drawing = parseDrawing(text);
  const path = traceFile(drawnTrace(drawing, options));
  requireOrder(path);
  const trace = options.isOnCpus === true ? withRecordedCpus(openTrace(path)) : openTrace(path);
  const machine: Machine = {
    ...SMALL,
    cores: options.isOnCpus === true ? defaultCores(trace) : drawing.cores,
    coresPerLlc: 64,
    ...options.machine,
  };
  const input = {
    ...replayInput(trace, machine, { kind: options.schedule ?? 'logical' }),
    window: options.window,
    flow: options.flow && {
      ...flowRequest(trace.catalog, {
        by: options.flow.by ?? 'function',
        mostPaths: DEFAULT_MOST_PATHS,
        mostSteps: 64,
      }),
      ...options.flow,
    },
    ...(options.mostSharedCounts !== undefined && { sharedVariables: { mostCounts: options.mostSharedCounts } }),
  };
  const result = simulate(input);
  const parts: Buffer[] = [];
  dumpReferences(input, (bytes) => parts.push(Buffer.from(bytes)));
  const { tallies } = result;
  const count = (counter: string, row?: number, core?: number): number => {
    let total = 0;
    for (let index = 0; index < tallies.count; index++) {
      const slot = tallies.slot[index];
      if (row !== undefined && trace.catalog.slots.line[slot] !== row) continue;
      if (core !== undefined && trace.catalog.slots.column[slot] !== core) continue;
      total += tallies.counters[index * COUNTERS.length + COUNTERS.indexOf(counter)];
    }
    return total;
  };
  const met = drawing.expectations.map((expectation, row) => {
    if (expectation === undefined) return undefined;
    const cells = drawing.cells.filter((cell) => cell.row === row);
    return cells
      .map(({ core }) => describeCell((counter) => count(counter, row, core)))
      .filter((words) => words !== '')
      .join(' | ');
  });
  expect(met).toEqual(drawing.expectations);
  return {
    input,
    result,
    catalog: trace.catalog,
    references: Buffer.concat(parts).toString('latin1').trimEnd().split('\n'),
    count,
  };
}

/** "l1", "memory compulsory", "2 memory 2 conflict" for an access of two references. */
function describeCell(count: (counter: string) => number): string {
  const words: string[] = [];
  const add = (name: string, times: number): void => {
    if (times > 0) words.push(times === 1 ? name : `${times} ${name}`);
  };
  for (const server of SERVERS) add(server, count(`served.${server}`));
  for (const missClass of CLASSES) add(missClass, count(`l1.${missClass}`));
  add('shared', count('l1.compulsoryShared'));
  return words.join(' ');
}
