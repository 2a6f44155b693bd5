// Stage: profile -> views. How much of a run's time each row takes, so that misses are seen beside everything else: in
// code that takes 2 % of the time, 40 % of all misses matter little. docs/advice.md, "Run time", has the rule.

import { FAMILIES, OBJECT_KINDS, type Profile } from '../profile/profile.js';
import { listObjects } from '../profile/object-source.js';
import { share, type Column } from './columns.js';
import { DEFAULT_CPI, runCycles, type RunCycles } from './run-cycles.js';
import type { Cpi, View } from './view.js';

export interface WithRunCycles {
  /** Estimated cycles of the run that are the row's. */
  readonly runCycles?: number;
}

export class RunTimes {
  readonly #cycles: RunCycles | null;

  constructor(
    profile: Profile,
    private readonly cpi: Cpi = { cycles: DEFAULT_CPI, isMeasured: false },
  ) {
    if (profile.sampled !== undefined) {
      this.#cycles = null;
      return;
    }
    const hopped = hoppedTypes(profile);
    this.#cycles = runCycles(profile, (type) => hopped.has(type), cpi.cycles, cpi.functions);
  }

  /** The view, with what its rows are parts of. Samples do not say how many instructions there were: nothing. */
  addTo<Of extends View<unknown>>(view: Of): Of {
    if (this.#cycles === null) return view;
    const { cycles: cpi, isMeasured: isCpiMeasured } = this.cpi;
    return { ...view, totals: { ...view.totals, runCycles: Math.round(this.#cycles.all), cpi, isCpiMeasured } };
  }

  /** By key of the rows: what they wait for misses, and with `compute` their instructions as well. */
  by<Key>(keyOf: (row: number) => Key, { compute = false } = {}): (key: Key) => WithRunCycles {
    const all = this.#cycles;
    if (all === null) return () => ({});
    const sums = new Map<Key, number>();
    for (let row = 0; row < all.wait.length; row++) {
      const key = keyOf(row);
      sums.set(key, (sums.get(key) ?? 0) + all.wait[row] + (compute ? all.compute[row] : 0));
    }
    return (key) => ({ runCycles: Math.round(sums.get(key) ?? 0) });
  }

  /** Functions without references that are known to have run. */
  others(): (readonly [name: string, own: WithRunCycles])[] {
    return [...(this.#cycles?.others ?? [])].map(([name, own]) => [name, { runCycles: Math.round(own) }]);
  }
}

const HEAP = OBJECT_KINDS.indexOf('heap');
const AGGREGATE = FAMILIES.indexOf('aggregate');

/** Names of structs and classes of which the heap has more bytes of single objects than of arrays. */
export function hoppedTypes(profile: Profile): Set<string> {
  const { types, strings } = profile;
  const balance = new Map<string, number>();
  const names = Array.from(types.name, (name) => strings[name]);
  for (const { objects } of listObjects(profile))
    for (let object = 0; object < objects.type.length; object++) {
      if (objects.kind[object] !== HEAP || types.family[objects.type[object]] !== AGGREGATE) continue;
      const name = names[objects.type[object]];
      const [one, bytes] = name.endsWith('[]')
        ? [name.slice(0, -2), -objects.sizeBytes[object]]
        : [name, objects.sizeBytes[object]];
      balance.set(one, (balance.get(one) ?? 0) + bytes);
    }
  return new Set([...balance].filter(([, bytes]) => bytes > 0).map(([name]) => name));
}

/** `part`: what of the run's time is a row's. */
export function timeColumn<Row extends WithRunCycles>(
  { totals, filter, rows }: View<Row>,
  part: string,
): Column<Row>[] {
  const { runCycles: whole, cpi, isCpiMeasured } = totals;
  if (whole === undefined) return [];
  const ofAll = rows.reduce((sum, { runCycles = 0 }) => sum + runCycles, 0);
  return [
    share(
      'of time',
      'runCycles',
      { paths: ['totals.runCycles'], envelope: { totals } },
      {
        meaning:
          `${part}, of the run's estimated time: ${cpi} cycles an instruction` +
          `${isCpiMeasured ? ', as its blocks ran here,' : ' (--cpi),'} and what misses add.`,
        expendable: 0.9,
        ...(filter === undefined && { all: { part: ofAll, whole } }),
      },
    ),
  ];
}
