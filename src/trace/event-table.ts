// Stage: trace -> replay. Every kind of event and its fields, in the order in which the events column has them:
// DPROF_EVENTS of runtime/include/dprof/abi.h, with the same names. test/trace/event-table.test.ts compares the two.
// Reading (event-column.ts), writing (event-encoder.ts) and dumping follow from this table.

/** Details of UNSEEN. */
export const Unseen = { calloc: 1, realloc: 2, kernel: 3, kernelRange: 4 } as const;

/** Details of LOST. */
export const Lost = { paths: 0, chunks: 1 } as const;

export const Allocator = {
  malloc: 1,
  calloc: 2,
  realloc: 3,
  aligned: 4,
  new: 5,
  mmap: 6,
  part: 7,
  pool: 8,
  module: 9,
} as const;

export const MarkKind = { phase: 1, closed: 2, opened: 3, dropped: 4 } as const;
/** Bytes of a mark's text, at most. */
export const MARK_TEXT_BYTES = 120;

export const Sync = {
  mutex: 1,
  rwlock: 2,
  condition: 3,
  barrier: 4,
  threadCreate: 5,
  threadJoin: 6,
  semaphore: 7,
  file: 8,
  atomic: 9,
  spinlock: 10,
  once: 11,
  process: 12,
  team: 13,
  task: 14,
} as const;

/** `index`: of a thread, a CPU, a unit or a variable. `pointer`: an address that nothing predicts. */
export type EventField =
  | { readonly encoding: 'stamp'; readonly name: 'stamp' }
  /** `when`: only with this detail. */
  | { readonly encoding: 'address'; readonly name: 'address'; readonly when?: number }
  | { readonly encoding: 'number'; readonly name: 'size' | 'number' }
  | { readonly encoding: 'index'; readonly name: 'cpu' | 'creator' | 'unit' | 'variable' }
  | { readonly encoding: 'pointer'; readonly name: 'pool'; readonly when: number }
  | { readonly encoding: 'text'; readonly name: 'text' };

interface EventKind {
  readonly code: number;
  readonly fields: readonly EventField[];
}

const stamp = { encoding: 'stamp', name: 'stamp' } as const;
const address = { encoding: 'address', name: 'address' } as const;
const size = { encoding: 'number', name: 'size' } as const;
const number = { encoding: 'number', name: 'number' } as const;
const text = { encoding: 'text', name: 'text' } as const;
const index = <Name extends 'cpu' | 'creator' | 'unit' | 'variable'>(
  name: Name,
): { readonly encoding: 'index'; readonly name: Name } => ({ encoding: 'index', name });

export const EVENTS = {
  time: { code: 1, fields: [stamp, index('cpu')] },
  allocate: {
    code: 2,
    fields: [stamp, address, size, { encoding: 'pointer', name: 'pool', when: Allocator.part }],
  },
  free: { code: 3, fields: [stamp, address, size] },
  release: { code: 4, fields: [stamp, address] },
  acquire: { code: 5, fields: [stamp, address] },
  both: { code: 6, fields: [stamp, address] },
  threadStart: { code: 7, fields: [stamp, index('creator'), address, size] },
  threadEnd: { code: 8, fields: [stamp, address, size] },
  blocked: { code: 9, fields: [stamp] },
  unseen: { code: 10, fields: [size, { ...address, when: Unseen.kernelRange }] },
  lost: { code: 11, fields: [number] },
  threadLocal: { code: 12, fields: [index('unit'), index('variable'), address] },
  signal: { code: 13, fields: [number] },
  mark: { code: 14, fields: [stamp, number, text] },
} as const satisfies Readonly<Record<string, EventKind>>;

export type EventName = keyof typeof EVENTS;

export const EventCode = Object.fromEntries(Object.entries(EVENTS).map(([name, { code }]) => [name, code])) as {
  readonly [Name in EventName]: (typeof EVENTS)[Name]['code'];
};

/** By code; undefined: no event has it. */
export const EVENT_FIELDS: readonly (readonly EventField[] | undefined)[] = Array.from(
  { length: 16 },
  (_, code) => Object.values<EventKind>(EVENTS).find((kind) => kind.code === code)?.fields,
);

/** Whether an event with the detail has the field. */
export function hasField(field: EventField, detail: number): boolean {
  return !('when' in field) || field.when === undefined || field.when === detail;
}
