// Stage: test. Views as IndependentViews has them, in the spelling of `dprof report --format json`, so that the two can
// be held against each other row by row.
import { createHash } from 'node:crypto';
import type { Machine } from '../../src/contract/machine.js';
import type { IndependentViews, Level, Life, Thing } from './independent-views.js';

export type Json = any; // of any view

/** Sums are not made in one order: shares and averages agree to twelve digits, integers entirely. */
export function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(11));
  if (Array.isArray(value)) return value.map(rounded);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, rounded(own)]));
  return value;
}

function perLevel<Value>(of: (level: Level) => Value): Record<Level, Value> {
  return { l1: of('l1'), l2: of('l2'), llc: of('llc') };
}

function increasing(rows: readonly Json[]): Json[] {
  return rows
    .map((row) => JSON.stringify(rounded(row)))
    .sort()
    .map((text) => JSON.parse(text));
}

export function pathTraces(own: IndependentViews, shown: 'innermost' | 'own'): Json[] {
  const rows = new Map<string, { head: Json; lives: Life[] }>();
  const [functionOf, siteOf] =
    shown === 'own'
      ? [(slot: number) => own.ownFunction(slot), (slot: number) => own.ownLine(slot)]
      : [(slot: number) => own.functionOf(slot), (slot: number) => own.siteOf(slot)];
  const toldOf = new Map(own.lives.map((life) => [life, own.toldSteps(life, shown)]));
  for (const life of own.lives) {
    const { thing } = life;
    const { variables } = own.catalog;
    const head = {
      type: own.typeOf(thing),
      kind: thing.kind,
      variable: thing.variable === 0 ? null : variables.name[thing.variable] || null,
      allocatedBy: thing.kind === 'heap' ? functionOf(thing.slot) : null,
      allocatedAt:
        thing.kind === 'heap'
          ? siteOf(thing.slot)
          : thing.variable === 0 || variables.file[thing.variable] === ''
            ? null
            : `${variables.file[thing.variable]}:${variables.line[thing.variable]}`,
      end: life.end,
      freedBy: functionOf(life.freeSlot),
      freedAt: siteOf(life.freeSlot),
      freedOnAnotherCore: life.freedElsewhere,
      cut: life.steps.length > 64,
      steps: toldOf
        .get(life)!
        .map(({ function: name, file, line, coreChange }) => ({ function: name, file, line, coreChange, cut: false })),
    };
    if (head.cut) head.steps.push({ function: null, file: null, line: null, coreChange: false, cut: true });
    const key = JSON.stringify(head);
    const row = rows.get(key) ?? { head, lives: [] };
    rows.set(key, row);
    row.lives.push(life);
  }
  return increasing(
    [...rows.values()].map(({ head, lives }) => {
      const steps = head.steps.map((step: Json, index: number) => {
        const parts = step.cut
          ? lives.map((life) => life.steps.slice(64))
          : lives.map((life) => [toldOf.get(life)![index]]);
        const all = parts.flat();
        const served = { l1: 0, l2: 0, llc: 0, cache: 0, memory: 0 };
        for (const part of all)
          for (const server of Object.keys(served) as (keyof typeof served)[]) served[server] += part.served[server];
        const references = Object.values(served).reduce((sum, count) => sum + count, 0);
        return {
          function: step.function,
          file: step.file,
          line: step.line,
          cut: step.cut,
          coreChange: step.coreChange,
          offsets: [Math.min(...all.map(({ begin }) => begin)), Math.max(...all.map(({ end }) => end))],
          averageTimeSinceAllocationInstructions: parts.reduce((sum, [{ time }]) => sum + time, 0) / lives.length,
          references,
          served,
          hit: Object.fromEntries(Object.entries(served).map(([server, count]) => [server, count / references])),
          averageLatencyCycles: all.reduce((sum, { latency }) => sum + latency, 0) / references,
        };
      });
      const lifetime = lives.reduce((sum, life) => sum + (life.ended ?? own.end) - life.began, 0);
      return sorted({ ...head, frequency: lives.length, steps, averageLifetimeInstructions: lifetime / lives.length });
    }),
  );
}

/** Wherever they were allocated: rows that then read the same are one. The reader knows no callers of an allocation. */
export function withoutAllocations(rows: readonly Json[]): Json[] {
  const merged = new Map<string, Json>();
  for (const row of rows) {
    const { allocatedBy: _, allocatedAt: __, averageLifetimeInstructions: lifetime, frequency, steps, ...head } = row;
    const places = steps.map(({ function: name, file, line, coreChange, cut }: Json) => [
      name,
      file,
      line,
      coreChange,
      cut,
    ]);
    const isHeap = row.kind === 'heap';
    const key = JSON.stringify([sorted(head), places, isHeap ? null : row.allocatedAt]);
    const own = merged.get(key) ?? {
      ...head,
      ...(isHeap ? {} : { allocatedAt: row.allocatedAt }),
      frequency: 0,
      lifetime: 0,
      steps: steps.map((step: Json) => ({
        offsets: [Infinity, 0],
        time: 0,
        latency: 0,
        references: 0,
        served: {},
        step,
      })),
    };
    merged.set(key, own);
    own.frequency += frequency;
    own.lifetime += lifetime * frequency;
    steps.forEach((step: Json, at: number) => {
      const sum = own.steps[at];
      sum.offsets = [Math.min(sum.offsets[0], step.offsets[0]), Math.max(sum.offsets[1], step.offsets[1])];
      sum.time += step.averageTimeSinceAllocationInstructions * frequency;
      sum.latency += step.averageLatencyCycles * step.references;
      sum.references += step.references;
      for (const [server, count] of Object.entries<number>(step.served))
        sum.served[server] = (sum.served[server] ?? 0) + count;
    });
  }
  return normal(
    Array.from(merged.values(), ({ steps, ...row }) => ({
      ...whole(row),
      steps: steps.map(({ step: { function: name, file, line, coreChange, cut }, ...sums }: Json) => ({
        ...{ name, file, line, coreChange, cut },
        ...whole(sums),
      })),
    })),
  );
}

/** Sums of averages times their counts were whole numbers. */
function whole(sums: Json): Json {
  return Object.fromEntries(
    Object.entries(sums).map(([key, value]) => [
      key,
      ['lifetime', 'time', 'latency'].includes(key) ? Math.round(value as number) : value,
    ]),
  );
}

/** Keys in one order. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, own]) => [key, sorted(own)]),
  );
}

export function normal(rows: readonly Json[]): Json[] {
  return increasing(rows.map(sorted));
}

export function functions(own: IndependentViews): Json[] {
  return normal(
    [...own.functions].map(([name, sums]) => ({
      function: name || null,
      references: { loads: sums.loads, stores: sums.stores },
      missLatencyCycles: sums.missLatency,
      latencyCycles: sums.latency,
      levelCycles: sums.beyond,
      levels: perLevel((level) => ({
        misses: Object.values(sums.misses[level]).reduce((sum, count) => sum + count, 0),
        classes: sums.misses[level],
      })),
      types: sums.types.size,
      typesMissed: [...sums.types.values()].filter((misses) => misses > 0).length,
    })),
  );
}

export const NO_MISSES: Json = { site: null, cycles: 0, misses: 0, share: 0 };

/** By type: the line with most estimated cycles, then most L1 misses, then the first by name. */
export function mostMissesAt(own: IndependentViews): Map<string, Json> {
  return new Map(
    [...own.lineCosts].map(([type, lines]) => {
      const all = [...lines.values()].reduce((sum, { cycles }) => sum + cycles, 0);
      const [most] = [...lines]
        .map(([site, cost]) => ({ site, ...cost, share: cost.cycles / all }))
        .filter(({ misses }) => misses > 0)
        .sort((a, b) => b.cycles - a.cycles || b.misses - a.misses || (a.site < b.site ? -1 : 1));
      return [type, rounded(most ?? NO_MISSES)];
    }),
  );
}

export function workingSet(own: IndependentViews, machine: Machine): Json[] {
  const time = own.instructions;
  const types = new Map<string, Thing[]>();
  for (const thing of own.things)
    if (thing.lives.length > 0) types.set(own.typeOf(thing), [...(types.get(own.typeOf(thing)) ?? []), thing]);
  const missBins = new Map<string, number[]>();
  const binsOf = (level: Level): { sets: number; per: number; bins: number } => {
    const sets = machine[level].sizeBytes / machine[level].ways / machine.lineBytes;
    const per = Math.ceil(sets / 256);
    return { sets, per, bins: Math.ceil(sets / per) };
  };
  for (const { level, set, label } of own.missSets) {
    const key = `${level} ${own.nameOf(label)}`;
    const { per, bins } = binsOf(level);
    const counts = missBins.get(key) ?? new Array<number>(bins).fill(0);
    missBins.set(key, counts);
    counts[Math.floor(set / per)]++;
  }
  const names = new Set([...types.keys(), ...[...missBins.keys()].map((key) => key.slice(key.indexOf(' ') + 1))]);
  if (own.lineTimes.has('')) names.add('(no object)');
  const byThing = new Map(own.things.map((thing) => [thing.number, thing]));
  const resident = (kind: 'alive' | 'freed', isMine: (type: string) => boolean): Record<Level, number> =>
    perLevel((level) => {
      let sum = 0;
      for (const [key, times] of own.lineTimes)
        if (isMine(key === '' ? '(no object)' : own.typeOf(byThing.get(Number(key))!))) sum += times[level][kind];
      return time === 0 ? 0 : sum / time;
    });
  const zeros = perLevel((level) => new Array<number>(binsOf(level).bins).fill(0));
  const rows = [...names].map((type) => {
    const things = types.get(type) ?? [];
    const lives = things.flatMap((thing) => thing.lives);
    const lengthOf = ({ began, ended }: Life): number => (ended ?? own.end) - Math.max(began, own.begin);
    const lifetime = lives.reduce((sum, life) => sum + lengthOf(life), 0);
    const lifetimesLog2: number[] = [];
    for (const thing of things) {
      const mean = thing.lives.reduce((sum, life) => sum + lengthOf(life), 0) / thing.lives.length;
      let bin = 0;
      while (mean >= 2 ** (bin + 1)) bin++;
      for (let at = 0; at <= bin; at++) lifetimesLog2[at] ??= 0;
      lifetimesLog2[bin] += thing.lives.length;
    }
    const alive = resident('alive', (own) => own === type);
    const isBin =
      (level: Level, bin: number) =>
      (line: number): boolean =>
        Math.floor((line % binsOf(level).sets) / binsOf(level).per) === bin;
    const lines = [...new Set(things.flatMap((thing) => [...thing.lines]))];
    const linesPerSet = perLevel((level) => {
      const counts = zeros[level].slice();
      for (const line of lines) counts[Math.floor((line % binsOf(level).sets) / binsOf(level).per)]++;
      return counts;
    });
    const alignment = things.reduce(
      (low, { address }) => Math.min(low, address === 0 ? 2 ** 32 : lowestBit(address)),
      2 ** 32,
    );
    return {
      type,
      objects: things.length,
      lives: lives.length,
      averageLiveObjects: lifetime / time,
      averageLiveBytes:
        things.reduce(
          (sum, thing) => sum + thing.bytes * thing.lives.reduce((all, life) => all + lengthOf(life), 0),
          0,
        ) / time,
      averageLifetimeInstructions: lives.length === 0 ? null : lifetime / lives.length,
      lifetimesLog2,
      averageResidentLines: alive,
      averageResidentBytes: perLevel((level) => alive[level] * machine.lineBytes),
      averageFreedLines: resident('freed', (own) => own === type),
      linesPerSet,
      objectsPerSet: perLevel((level) =>
        zeros[level].map((_, bin) => things.filter((thing) => [...thing.lines].some(isBin(level, bin))).length),
      ),
      missesPerSet: perLevel((level) => missBins.get(`${level} ${type}`) ?? zeros[level]),
      unusedSets: perLevel((level) => linesPerSet[level].filter((count) => count === 0).length * binsOf(level).per),
      reachableSets: perLevel((level) => {
        const { sets, per } = binsOf(level);
        const apart = Math.min(sets, Math.max(1, alignment / machine.lineBytes));
        const residues = new Set<number>();
        for (let set = 0; set < sets; set++)
          if (linesPerSet[level][Math.floor(set / per)] > 0) residues.add(set % apart);
        let reachable = 0;
        for (let set = 0; set < sets; set++) if (residues.has(set % apart)) reachable++;
        return reachable;
      }),
      ...peaks(own, things),
    };
  });
  const freed = resident('freed', () => true);
  rows.push({
    type: '(freed)',
    objects: 0,
    lives: 0,
    averageLiveObjects: 0,
    averageLiveBytes: 0,
    averageLifetimeInstructions: null,
    lifetimesLog2: [],
    averageResidentLines: freed,
    averageResidentBytes: perLevel((level) => freed[level] * machine.lineBytes),
    averageFreedLines: perLevel(() => 0),
    linesPerSet: zeros,
    objectsPerSet: zeros,
    missesPerSet: zeros,
    unusedSets: perLevel((level) => binsOf(level).sets),
    reachableSets: perLevel(() => 0),
    peakLiveObjects: 0,
    peakLiveBytes: 0,
  });
  return normal(rows);
}

function lowestBit(value: number): number {
  return Number(BigInt(value) & -BigInt(value));
}

/** Walks from birth to birth and from death to death: what dies at an instant makes room for what is born there. */
function peaks(own: IndependentViews, things: readonly Thing[]): { peakLiveObjects: number; peakLiveBytes: number } {
  const spans = things.map((thing) => ({
    born: thing.born,
    died: thing.died === -1 ? Infinity : thing.died,
    bytes: thing.bytes,
  }));
  let [objects, bytes] = [0, 0];
  for (const { born } of spans) {
    const there = spans.filter((other) => other.born <= born && other.died > born);
    const momentary = spans.filter((other) => other.born === born && other.died === born);
    const extra = momentary.length > 0 ? 1 : 0;
    objects = Math.max(objects, there.length + extra);
    bytes = Math.max(
      bytes,
      there.reduce((sum, other) => sum + other.bytes, 0) + Math.max(0, ...momentary.map((other) => other.bytes)),
    );
  }
  // Objects that lived at the window's beginning were there then.
  const at = spans.filter(({ born, died }) => born < own.begin && died >= own.begin);
  return {
    peakLiveObjects: Math.max(objects, at.length),
    peakLiveBytes: Math.max(
      bytes,
      at.reduce((sum, other) => sum + other.bytes, 0),
    ),
  };
}

export function locks(own: IndependentViews): Json[] {
  return normal(
    [...own.locks.values()]
      .filter((row) => row.acquisitions > 0 || row.holds > 0 || row.data.size > 0 || (own.unreleased.get(row) ?? 0) > 0)
      .map((row) => {
        const data = new Map<string, Json>();
        for (const { label, ...of } of row.data.values()) {
          const type = own.nameOf(label);
          const known = data.get(type) ?? { type, references: 0, l1Misses: 0, trueSharing: 0, falseSharing: 0 };
          data.set(type, known);
          known.references += of.references;
          known.l1Misses += of.misses;
          known.trueSharing += of.trueSharing;
          known.falseSharing += of.falseSharing;
        }
        const all = [...data.values()];
        const sum = (key: string): number => all.reduce((total, of) => total + of[key], 0);
        return {
          lock: row.lock,
          kind: row.kind,
          type: row.type,
          locks: row.locks,
          threadcount: row.threads.size,
          threads: Object.fromEntries(row.threads),
          acquisitions: row.acquisitions,
          waits: row.waits,
          waitInstructions: row.wait,
          longestWaitInstructions: row.longestWait,
          holds: row.holds,
          holdInstructions: row.hold,
          longestHoldInstructions: row.longestHold,
          unreleased: own.unreleased.get(row) ?? 0,
          functions: normal(
            [...row.functions].map(([path, acquisitions]) => ({
              function: path.split('\n')[0],
              path: path.split('\n'),
              acquisitions,
            })),
          ),
          data: normal(all),
          references: sum('references'),
          l1Misses: sum('l1Misses'),
          trueSharing: sum('trueSharing'),
          falseSharing: sum('falseSharing'),
        };
      }),
  );
}

export function sharedVariables(own: IndependentViews): Json[] {
  const rows = new Map<string, Json>();
  for (const { file, line, variable, threads } of own.sharedRows.values()) {
    const name = own.nameOf(variable);
    const key = JSON.stringify([file, line, name]);
    const row = rows.get(key) ?? { file: file || null, line: file ? line : null, variable: name, threads: {} };
    rows.set(key, row);
    for (const [thread, count] of threads) row.threads[thread] = (row.threads[thread] ?? 0) + count;
  }
  return normal(
    [...rows.values()].map((row) => ({
      ...row,
      threadcount: Object.keys(row.threads).length,
      totalcount: Object.values<number>(row.threads).reduce((sum, count) => sum + count, 0),
    })),
  );
}

export function unusedBytes(own: IndependentViews): Json[] {
  const rows = new Map<string, Json>();
  const add = (type: string, field: string | null, fetched: number, unused: number): void => {
    const key = JSON.stringify([type, field]);
    const row = rows.get(key) ?? { type, field, fetchedBytes: 0, unusedBytes: 0 };
    rows.set(key, row);
    row.fetchedBytes += fetched;
    row.unusedBytes += unused;
  };
  for (const { label, field, fetched, unused } of own.unused.values()) {
    add(own.nameOf(label), null, fetched, unused);
    if (field !== null) add(own.nameOf(label), field, fetched, unused);
  }
  return normal([...rows.values()]);
}

const PLACE = ['kind', 'function', 'file', 'line', 'variable', 'end', 'cut'] as const;

interface Drawn {
  readonly objects: number;
  readonly references: number;
  readonly cycles: number;
}

/**
 * A graph as nodes by all that can follow, and edges between them: two graphs that say the same are equal, however
 * their nodes are numbered.
 */
export function graphOf({ nodes, edges }: Json): { nodes: Json; edges: Json } {
  const spelled = new Map<number, string>();
  for (const { id, ...node } of [...nodes].reverse())
    spelled.set(
      id,
      spellNode(node, [
        ...new Set<string>(edges.filter((edge: Json) => edge.from === id).map((edge: Json) => spelled.get(edge.to)!)),
      ]),
    );
  if (new Set(spelled.values()).size !== nodes.length) throw new Error('two nodes of one place go on alike');
  return {
    nodes: rounded(
      Object.fromEntries(
        nodes
          .map((node: Json) => [
            spelled.get(node.id)!,
            {
              objects: node.objects,
              references: node.references,
              cycles: node.references * (node.averageLatencyCycles ?? 0),
            },
          ])
          .sort(byKey),
      ),
    ),
    edges: rounded(
      Object.fromEntries(
        edges
          .map((edge: Json) => [
            `${spelled.get(edge.from)!} > ${spelled.get(edge.to)!}`,
            { objects: edge.objects, coreChanges: edge.coreChanges, averageLatencyCycles: edge.averageLatencyCycles },
          ])
          .sort(byKey),
      ),
    ),
  };
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Long continuations are named by a digest. */
function spellNode(node: Json, next: readonly string[]): string {
  return createHash('sha1')
    .update(JSON.stringify([PLACE.map((key) => node[key]), [...next].sort()]))
    .digest('hex');
}

interface Branch {
  readonly node: Json;
  readonly next: Map<string, Branch>;
  readonly ways: {
    readonly objects: number;
    readonly references: number;
    readonly cycles: number;
    readonly coreChanges: number;
  }[];
}

/** Joins paths that begin alike, then those that go on alike. */
export function graphOfPaths(paths: readonly Json[], own: IndependentViews): { nodes: Json; edges: Json } {
  const nowhere = { function: null, file: null, line: null, variable: null, end: null, cut: false };
  const at = (site: string | null): Json =>
    site === null
      ? {}
      : { file: site.slice(0, site.lastIndexOf(':')), line: Number(site.slice(site.lastIndexOf(':') + 1)) };
  const root: Branch = { node: null, next: new Map(), ways: [] };
  for (const path of paths) {
    const stops = [
      {
        node: {
          ...nowhere,
          kind: 'allocation',
          ...at(path.allocatedAt),
          function: path.kind === 'heap' ? path.allocatedBy : own.declaredIn(path.variable, path.allocatedAt),
          variable: path.kind === 'heap' ? null : path.variable,
          of: path.kind,
        },
        references: 0,
        cycles: 0,
        coreChange: false,
      },
      ...path.steps.map((step: Json) => ({
        node: { ...nowhere, kind: 'step', function: step.function, file: step.file, line: step.line, cut: step.cut },
        references: step.references,
        cycles: step.references * step.averageLatencyCycles,
        coreChange: step.coreChange,
      })),
      {
        node:
          path.end === 'freed'
            ? { ...nowhere, kind: 'free', function: path.freedBy, ...at(path.freedAt), end: 'freed' }
            : { ...nowhere, kind: 'end', end: path.end },
        references: 0,
        cycles: 0,
        coreChange: path.freedOnAnotherCore,
      },
    ];
    let branch = root;
    for (const { node, references, cycles, coreChange } of stops) {
      const key = JSON.stringify(node);
      let next = branch.next.get(key);
      if (!next) branch.next.set(key, (next = { node, next: new Map(), ways: [] }));
      next.ways.push({ objects: path.frequency, references, cycles, coreChanges: coreChange ? path.frequency : 0 });
      branch = next;
    }
  }
  const nodes = new Map<string, Drawn>();
  const edges = new Map<string, { objects: number; coreChanges: number; references: number; cycles: number }>();
  const spelledOf = new Map<Branch, string>();
  const spell = (branch: Branch): string => {
    const known = spelledOf.get(branch);
    if (known !== undefined) return known;
    const name = spellNode(branch.node, [...new Set([...branch.next.values()].map(spell))]);
    spelledOf.set(branch, name);
    return name;
  };
  const walk = (branch: Branch): void => {
    for (const next of branch.next.values()) {
      const own = next.ways.reduce(
        (all, way) => ({
          objects: all.objects + way.objects,
          references: all.references + way.references,
          cycles: all.cycles + way.cycles,
          coreChanges: all.coreChanges + way.coreChanges,
        }),
        { objects: 0, references: 0, cycles: 0, coreChanges: 0 },
      );
      const node = nodes.get(spell(next)) ?? { objects: 0, references: 0, cycles: 0 };
      nodes.set(spell(next), {
        objects: node.objects + own.objects,
        references: node.references + own.references,
        cycles: node.cycles + own.cycles,
      });
      if (branch !== root) {
        const key = `${spell(branch)} > ${spell(next)}`;
        const edge = edges.get(key) ?? { objects: 0, coreChanges: 0, references: 0, cycles: 0 };
        edges.set(key, {
          objects: edge.objects + own.objects,
          coreChanges: edge.coreChanges + own.coreChanges,
          references: edge.references + own.references,
          cycles: edge.cycles + own.cycles,
        });
      }
      walk(next);
    }
  };
  walk(root);
  return {
    nodes: rounded(Object.fromEntries([...nodes].sort(byKey))),
    edges: rounded(
      Object.fromEntries(
        [...edges]
          .map(([key, { objects, coreChanges, references, cycles }]): [string, Json] => [
            key,
            { objects, coreChanges, averageLatencyCycles: references === 0 ? null : cycles / references },
          ])
          .sort(byKey),
      ),
    ),
  };
}
