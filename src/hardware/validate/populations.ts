// Stage: validation. Events that were sampled -> what each drew from: only a random draw of references, or of a kind of
// them, says anything of shares.

import { Operation } from '../samples/data-source-bits.js';
import type { SampledEvent } from '../samples/samples.js';
import type { TypedSamples } from '../samples/typed-samples.js';

export type Population = 'references' | 'loads' | 'stores';

export interface EventPopulation {
  readonly name: string;
  readonly source: SampledEvent['source'];
  readonly samples: number;
  /** null: its samples are no draw from references. */
  readonly of: Population | null;
  /** Only accesses that took at least so many cycles (Intel's ldlat); 0: all. */
  readonly leastCycles: number;
  /** Why `of` is null; else empty. */
  readonly reason: string;
}

const NO_DRAW = { breakpoint: 'a debug register sees all of one address', other: 'it counts other things' } as const;
/** PERF_TYPE_SOFTWARE, PERF_TYPE_TRACEPOINT: page faults and the like have addresses too. */
const NOT_OF_MEMORY: ReadonlySet<number> = new Set([1, 2]);

export function populationsOf({ events, rows }: Pick<TypedSamples, 'events' | 'rows'>): EventPopulation[] {
  const operations = events.map(() => 0);
  rows.event.forEach((event, row) => (operations[event] |= Number(rows.dataSource[row] & 31n)));
  return events.map(({ name, source: recorded, type, samples, address }, index) => {
    const source = NOT_OF_MEMORY.has(type) ? 'other' : recorded;
    const threshold = /ldlat=(\d+)/.exec(name)?.[1];
    const leastCycles =
      threshold !== undefined
        ? Number(threshold)
        : source === 'pebs' && /loads/.test(name)
          ? Number.parseInt(address.replace(/^0x/, ''), 16)
          : 0;
    if (source === 'breakpoint' || source === 'other')
      return { name, source, samples, of: null, leastCycles: 0, reason: NO_DRAW[source] };
    return {
      name,
      source,
      samples,
      of: source === 'pebs' ? drawn(name, operations[index]) : 'references',
      leastCycles,
      reason: '',
    };
  });
}

/** By its name; else by what its samples are. */
function drawn(name: string, operations: number): Population {
  const [isLoad, isStore] = /loads?\b|stores?\b/.test(name)
    ? [/loads?\b/.test(name), /stores?\b/.test(name)]
    : [(operations & Operation.load) !== 0, (operations & Operation.store) !== 0];
  return isLoad === isStore ? 'references' : isLoad ? 'loads' : 'stores';
}

/**
 * The population that those events together drew from, and the events that drew from it. Events of all references go
 * before those of loads and of stores, which together are all as well.
 */
export function unitedPopulation(
  events: readonly EventPopulation[],
  asked: ReadonlySet<number>,
): { readonly of: Population | null; readonly events: readonly number[] } {
  const numbers = (...wanted: Population[]): number[] =>
    events.flatMap(({ of, samples }, index) =>
      of !== null && samples > 0 && asked.has(index) && wanted.includes(of) ? [index] : [],
    );
  const all = numbers('references');
  if (all.length > 0) return { of: 'references', events: all };
  const [loads, stores] = [numbers('loads'), numbers('stores')];
  if (loads.length > 0 && stores.length > 0) return { of: 'references', events: [...loads, ...stores] };
  if (loads.length > 0) return { of: 'loads', events: loads };
  return stores.length > 0 ? { of: 'stores', events: stores } : { of: null, events: [] };
}
