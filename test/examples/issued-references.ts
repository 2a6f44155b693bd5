import { NO_INDEX } from '../../src/base/ids.js';
import { orderSteps } from '../../src/order/order-steps.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import type { Machine, Schedule } from '../../src/contract/machine.js';
import { Accesses, openedVariables, wordAddress } from '../../src/sim/references.js';
import type { Catalog } from '../../src/contract/catalog.js';
import { Allocator, EventCode, RecordFlag, RecordTag, Sync } from '../../src/trace/layout.js';
import { TraceFile } from '../../src/trace/trace-file.js';
import { outputOf } from '../cli/command-client.js';

export interface IssuedAccess {
  readonly kind: 'r' | 'w' | 'a';
  readonly address: number;
  readonly bytes: number;
  readonly slot: number;
}

export type Issued = {
  readonly thread: number;
  readonly core: number;
  readonly timeBefore: number;
  readonly time: number;
  readonly clock: number;
  readonly raisedBy: number;
} & (
  | {
      readonly what: 'segment' | 'marker';
      readonly function: number;
      readonly opens: readonly { readonly slot: number; readonly address: number }[];
      readonly closes: boolean;
      readonly accesses: readonly IssuedAccess[];
      readonly enters: boolean;
      readonly leaves: boolean;
    }
  | { readonly what: 'allocation-record'; readonly slot: number; readonly address: number; readonly function: number }
  | { readonly what: 'free-record'; readonly slot: number; readonly address: number; readonly function: number }
  | {
      readonly what: 'allocate' | 'free';
      readonly address: number;
      readonly bytes: number;
      readonly isMapping: boolean;
    }
  | {
      readonly what: 'acquire' | 'release';
      readonly lock: 'mutex' | 'rwlock' | 'spinlock' | 'semaphore';
      readonly address: number;
    }
  | { readonly what: 'thread-local'; readonly variable: number; readonly address: number; readonly bytes: number }
  | { readonly what: 'thread-end' | 'other' }
);

const LOCKS: Readonly<Record<number, 'mutex' | 'rwlock' | 'spinlock' | 'semaphore'>> = {
  [Sync.mutex]: 'mutex',
  [Sync.rwlock]: 'rwlock',
  [Sync.spinlock]: 'spinlock',
  [Sync.semaphore]: 'semaphore',
};
const KINDS = ['r', 'w', 'a'] as const;

export interface IssuedRun {
  readonly catalog: Catalog;
  readonly threads: number;
  readonly steps: readonly Issued[];
}

/** `flags`: the machine's and schedule's, as `dump` takes them. */
export function issuedRun(trace: string, machine: Machine, schedule: Schedule, flags: readonly string[]): IssuedRun {
  const opened = openTrace(trace);
  const input = replayInput(opened, machine, schedule);
  const { catalog } = input;
  const { records, unitFirstVariable, variables } = catalog;
  const file = TraceFile.open(trace);
  const sizes = new Map<number, number>();
  const steps: Issued[] = [];
  let accesses: IssuedAccess[] = [];
  const expander = new Accesses(catalog, machine.lineBytes, {
    access: (kind, address, bytes, slot) => accesses.push({ kind: KINDS[kind], address, bytes, slot }),
  });
  try {
    const order = orderSteps(file, input, { sizeAt: (address) => sizes.get(address) ?? 0 });
    while (order.next()) {
      order.place();
      const { step, thread, time, timeBefore, clock, raisedBy } = order;
      const head = { thread, core: thread % machine.cores, time, timeBefore, clock, raisedBy };
      if (step.isRecord) {
        const tag = records.tag[step.record];
        const slot = records.slotCount[step.record] > 0 ? records.firstSlot[step.record] : NO_INDEX;
        const functionId = records.function[step.record];
        if (tag === RecordTag.allocation)
          steps.push({ ...head, what: 'allocation-record', slot, address: wordAddress(step, 0), function: functionId });
        else if (tag === RecordTag.free)
          steps.push({ ...head, what: 'free-record', slot, address: wordAddress(step, 0), function: functionId });
        else {
          accesses = [];
          if (tag === RecordTag.segment) expander.expand(step);
          const opened = openedVariables(catalog, step);
          const flag = records.flags[step.record];
          steps.push({
            ...head,
            what: tag === RecordTag.segment ? 'segment' : 'marker',
            function: functionId,
            accesses,
            opens: (opened?.slots ?? []).map((own, index) => ({ slot: own, address: opened!.addresses[index] })),
            closes: (flag & RecordFlag.exit) !== 0 && (flag & RecordFlag.frame) !== 0,
            enters: (flag & RecordFlag.entry) !== 0,
            leaves: (flag & RecordFlag.exit) !== 0,
          });
        }
        continue;
      }
      const { code, detail, unit, variable: inUnit } = step.events;
      const address = Number(step.events.address);
      const bytes = Number(step.events.size);
      if (code === EventCode.allocate) {
        sizes.set(address, bytes);
        steps.push({ ...head, what: 'allocate', address, bytes, isMapping: detail === Allocator.mmap });
      } else if (code === EventCode.free) {
        steps.push({ ...head, what: 'free', address, bytes, isMapping: detail === Allocator.mmap });
        sizes.delete(address);
      } else if ((code === EventCode.acquire || code === EventCode.release) && LOCKS[detail] !== undefined) {
        steps.push({ ...head, what: code === EventCode.acquire ? 'acquire' : 'release', lock: LOCKS[detail], address });
      } else if (code === EventCode.threadLocal) {
        const variable = unitFirstVariable[unit] + inUnit;
        steps.push({ ...head, what: 'thread-local', variable, address, bytes: variables.sizeBytes[variable] });
      } else steps.push({ ...head, what: code === EventCode.threadEnd ? 'thread-end' : 'other' });
    }
  } finally {
    file.close();
  }
  const text = outputOf(['dump', trace, '--references', ...flags]);
  const own = steps.flatMap((step) =>
    'accesses' in step
      ? step.accesses.map(({ kind, address, bytes }) => `${step.core} ${kind} ${address.toString(16)} ${bytes}\n`)
      : [],
  );
  if (own.join('') !== text) throw new Error('dprof dump --references prints other accesses than the steps have');
  return { catalog, threads: opened.threads.length, steps };
}
