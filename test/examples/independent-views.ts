// Stage: test. Issued steps -> what views say, worked out again from docs/definitions.md, docs/data-flow.md,
// docs/replay/README.md and docs/threads.md: Maps of lines and lists of lives, walked in full each time; nothing of
// src/ but the catalog's names. For plain machines and programs whose heap is malloc's, with a window by numbers of
// references.
import type { Catalog } from '../../src/contract/catalog.js';
import type { Machine } from '../../src/contract/machine.js';
import type { Issued, IssuedAccess, IssuedRun } from './issued-references.js';

export const LEVELS = ['l1', 'l2', 'llc'] as const;
export type Level = (typeof LEVELS)[number];
const SERVERS = ['l1', 'l2', 'llc', 'cache', 'memory'] as const;
type Server = (typeof SERVERS)[number];
type ClassName = 'compulsory' | 'true-sharing' | 'false-sharing' | 'conflict' | 'capacity';
const NONE = 0xffff_ffff;

export interface Thing {
  readonly kind: 'heap' | 'global' | 'stack' | 'thread-local';
  readonly address: number;
  readonly bytes: number;
  readonly thread: number;
  readonly variable: number;
  slot: number;
  type: number;
  readonly born: number;
  died: number;
  readonly lives: Life[];
  readonly votes: Map<string, number>;
  readonly lines: Set<number>;
  references: number;
  readonly number: number;
  isMapping: boolean;
}

export interface Place {
  function: string | null;
  file: string | null;
  line: number | null;
}

export interface Life {
  readonly thing: Thing;
  readonly began: number;
  ended: number | null;
  end: 'alive' | 'freed' | 'ended';
  freeSlot: number;
  freedElsewhere: boolean;
  steps: Step[];
  lastCore: number;
  readonly addresses: Map<number, Map<string, number>>;
  readonly locks: Map<string, LockRow>;
}

interface Step {
  readonly place: string;
  readonly slot: number;
  readonly core: number;
  readonly coreChange: boolean;
  readonly time: number;
  begin: number;
  end: number;
  latency: number;
  readonly served: Record<Server, number>;
}

export interface LockRow {
  readonly lock: string;
  readonly kind: string;
  readonly type: string;
  locks: number;
  acquisitions: number;
  readonly threads: Map<number, number>;
  readonly functions: Map<string, number>;
  waits: number;
  wait: number;
  longestWait: number;
  holds: number;
  hold: number;
  longestHold: number;
  readonly data: Map<
    string,
    { label: Label; references: number; misses: number; trueSharing: number; falseSharing: number }
  >;
}

/** A type's name, or a site that its objects' votes name in the end. */
type Label = string | { readonly slot: number; readonly bytes: number };

interface Copy {
  owner: Life | null;
  since: number;
  readonly used: Set<number>;
}

/** A reference, and what of it counts for its row. */
interface RowType {
  readonly sums: FunctionSums;
  readonly slot: number;
  readonly thing: Thing | null;
  readonly misses: number;
  cycles: number;
}

class Unit {
  readonly sets: number[][];
  readonly copies = new Map<number, Copy>();
  constructor(
    private readonly count: number,
    private readonly ways: number,
  ) {
    this.sets = Array.from({ length: count }, () => []);
  }
  touch(line: number): boolean {
    const set = this.sets[line % this.count];
    const at = set.indexOf(line);
    if (at < 0) return false;
    set.push(...set.splice(at, 1));
    return true;
  }
  /** The line that leaves for it. */
  fill(line: number): number | undefined {
    const set = this.sets[line % this.count];
    const victim = set.length === this.ways ? set.shift() : undefined;
    set.push(line);
    return victim;
  }
  remove(line: number): void {
    const set = this.sets[line % this.count];
    set.splice(set.indexOf(line), 1);
  }
}

/** An ideal LRU and what others stored, of the cores that share a unit. */
class History {
  readonly order = new Map<number, true>();
  readonly stored = new Map<number, Set<number>>();
  constructor(private readonly lines: number) {}
  /** Whether it would have hit. */
  pass(line: number): boolean {
    const hit = this.order.delete(line);
    this.order.set(line, true);
    if (this.order.size > this.lines) this.order.delete(this.order.keys().next().value as number);
    return hit;
  }
}

export interface FunctionSums {
  loads: number;
  stores: number;
  latency: number;
  missLatency: number;
  /** Cycles beyond those of an L1 hit, by the level whose miss the reference waited for. */
  readonly beyond: Record<Level, number>;
  readonly misses: Record<Level, Record<ClassName, number>>;
  readonly types: Map<string, number>;
}

export class IndependentViews {
  readonly catalog: Catalog;
  readonly things: Thing[] = [];
  readonly lives: Life[] = [];
  readonly functions = new Map<string, FunctionSums>();
  readonly lineTimes = new Map<string, Record<Level, { alive: number; freed: number }>>();
  readonly missSets: { level: Level; set: number; label: Label }[] = [];
  readonly unused = new Map<string, { label: Label; field: string | null; fetched: number; unused: number }>();
  readonly locks = new Map<string, LockRow>();
  readonly sharedRows = new Map<
    string,
    { file: string; line: number; variable: Label; threads: Map<number, number> }
  >();
  readonly sharedAddresses = { shared: 0, kept: 0 };
  references = 0;
  loads = 0;
  invalidations = 0;
  begin = 0;
  end = 0;
  fills: Record<Level, number> = { l1: 0, l2: 0, llc: 0 };
  unreleased = new Map<LockRow, number>();

  private readonly live = new Map<number, Life[]>();
  private readonly units: Record<Level, Unit[]> = { l1: [], l2: [], llc: [] };
  private readonly histories: Record<Level, History[]> = { l1: [], l2: [], llc: [] };
  private readonly modified = new Map<number, number>();
  private readonly holds: { key: string; row: LockRow; since: number; depth: number }[][] = [];
  private readonly frames: { function: number; lives: Life[] }[][] = [];
  private readonly stacks: number[][] = [];
  private readonly freeSlots = new Map<number, { address: number; slot: number }>();
  private readonly nowhere = { addresses: new Map<number, Map<string, number>>(), locks: new Map<string, LockRow>() };
  private now = 0;
  private made = 0;

  constructor(
    run: IssuedRun,
    private readonly machine: Machine,
    private readonly by: 'function' | 'line' | 'ip' = 'function',
    window: { from?: number; to?: number } = {},
  ) {
    this.catalog = run.catalog;
    const cores = machine.cores;
    for (const level of LEVELS) {
      const count = level === 'llc' ? Math.ceil(cores / machine.coresPerLlc) : cores;
      const { sizeBytes, ways } = machine[level];
      const sets = sizeBytes / ways / machine.lineBytes;
      for (let unit = 0; unit < count; unit++) {
        this.units[level].push(new Unit(sets, ways));
        this.histories[level].push(new History(sets * ways));
      }
    }
    const { globals, variables } = this.catalog;
    for (let at = 0; at < globals.count; at++)
      this.create(
        'global',
        Number(globals.address[at]),
        variables.sizeBytes[globals.variable[at]],
        0,
        0,
        globals.variable[at],
        NONE,
        0,
      );
    let hasBegun = window.from === undefined;
    if (window.from === 0) {
      this.beginWindow(0);
      hasBegun = true;
    }
    for (const step of run.steps) {
      if (window.to !== undefined && this.made >= window.to) break;
      this.now =
        'accesses' in step || step.what === 'allocation-record' || step.what === 'free-record'
          ? step.timeBefore
          : step.time;
      this.step(step);
      this.end = step.time;
      if (!hasBegun && this.made >= window.from!) {
        hasBegun = true;
        this.beginWindow(step.time);
      }
    }
    this.finish();
  }

  get instructions(): number {
    return this.end - this.begin;
  }

  nameOf(label: Label): string {
    if (typeof label === 'string') return label;
    const votes = new Map<string, number>();
    for (const thing of this.things) {
      if (thing.kind === 'heap' && thing.type === 0 && thing.slot === label.slot && thing.bytes === label.bytes)
        for (const [name, count] of thing.votes) votes.set(name, (votes.get(name) ?? 0) + count);
    }
    if (label.bytes > 4096 && votes.size > 1) return this.poolName(label.slot, label.bytes);
    return winner(votes) ?? this.siteName(label.slot, label.bytes);
  }

  typeOf(thing: Thing): string {
    if (this.isPool(thing)) return this.poolName(thing.slot, thing.bytes);
    if (thing.type !== 0) return this.catalog.types.name[thing.type];
    return winner(thing.votes) ?? (thing.kind === 'heap' ? this.siteName(thing.slot, thing.bytes) : '(untyped)');
  }

  functionOf(slot: number): string | null {
    return slot === NONE ? null : this.catalog.functions.name[this.catalog.slots.function[slot]] || null;
  }

  siteOf(slot: number): string | null {
    if (slot === NONE) return null;
    const { file, line } = this.catalog.slots;
    return file[slot] === '' ? null : `${file[slot]}:${line[slot]}`;
  }

  /** The function that a variable is declared in. */
  declaredIn(name: string, site: string | null): string | null {
    const { variables, functions } = this.catalog;
    const variable = variables.name.findIndex(
      (own, at) => own === name && (site === null || site === `${variables.file[at]}:${variables.line[at]}`),
    );
    return functions.name[variables.function[variable]] || null;
  }

  /** Where a step is: the innermost function there, or the first outside libraries and headers, else the outermost. */
  placeOf(slot: number, shown: 'innermost' | 'own' = 'innermost'): Place {
    if (this.catalog.slots.file[slot] === '') return { function: this.functionOf(slot), file: null, line: null };
    const frames = this.framesOf(slot);
    if (shown === 'innermost' || this.by === 'ip') return frames[0];
    const { systemFiles } = this.catalog;
    const isOwn = ({ file }: Place): boolean => file !== null && !systemFiles.has(file) && !/\.(h|hpp|tcc)$/.test(file);
    return frames.find(isOwn) ?? frames[frames.length - 1];
  }

  /** The functions that were inlined into one another. Those of one name are where that of the smallest slot is. */
  private framesOf(slot: number): Place[] {
    const { slots, functions, positions } = this.catalog;
    const frames = [{ row: slots.function[slot], file: slots.file[slot], line: slots.line[slot] }];
    for (let at = slots.inlinedAt[slot]; at !== 0; at = positions.inlinedAt[at])
      frames.push({ row: positions.function[at], file: positions.file[at], line: positions.line[at] });
    return frames.map(({ row, file, line }) => {
      const name = functions.name[row];
      if (this.by !== 'function') return { function: name || null, file: file || null, line };
      const first = slots.function.find((id) => functions.name[id] === name) ?? row;
      return { function: name || null, file: functions.file[first] || null, line: functions.line[first] };
    });
  }

  /** Accesses that only differ in what their function was inlined into are in several places. */
  private nameChain(slot: number): string {
    const known = this.chains.get(slot);
    if (known !== undefined) return known;
    const { slots, functions, positions } = this.catalog;
    const chain: unknown[] = [functions.name[slots.function[slot]]];
    if (this.by === 'line') chain.push(slots.file[slot], slots.line[slot]);
    for (let at = slots.inlinedAt[slot]; at !== 0; at = positions.inlinedAt[at]) {
      chain.push(functions.name[positions.function[at]]);
      if (this.by === 'line') chain.push(positions.file[at], positions.line[at]);
    }
    const text = JSON.stringify(chain);
    this.chains.set(slot, text);
    return text;
  }

  /** The steps that are told of a life: those that follow one another in one place on one core are one. */
  toldSteps(life: Life, shown: 'innermost' | 'own'): (Step & Place)[] {
    const told: (Step & Place)[] = [];
    for (const step of life.steps.slice(0, 64)) {
      const place = this.placeOf(step.slot, shown);
      const last = told.at(-1);
      const isSame =
        last !== undefined &&
        this.by !== 'ip' &&
        !step.coreChange &&
        last.function === place.function &&
        (this.by === 'function' || (last.file === place.file && last.line === place.line));
      if (!isSame) {
        told.push({ ...step, ...place, served: { ...step.served } });
        continue;
      }
      last.begin = Math.min(last.begin, step.begin);
      last.end = Math.max(last.end, step.end);
      last.latency += step.latency;
      for (const server of Object.keys(step.served) as (keyof Step['served'])[])
        last.served[server] += step.served[server];
    }
    return told;
  }

  private siteName(slot: number, bytes: number): string {
    return `heap-${bytes}@${this.allocatorOf(slot) ?? '(unknown)'}`;
  }

  private isRecord(type: number): boolean {
    return [3, 4, 5].includes(this.catalog.types.kind[type]);
  }

  /** An array of structs counts as its struct. */
  private declared(type: number): number {
    const { types } = this.catalog;
    let inner = type;
    while (types.kind[inner] === 6) inner = types.element[inner];
    return this.isRecord(inner) ? inner : type;
  }

  private create(
    kind: Thing['kind'],
    address: number,
    bytes: number,
    thread: number,
    core: number,
    variable: number,
    slot: number,
    time: number,
    type?: number,
    isMapping = false,
  ): Life | null {
    if (bytes === 0) return null;
    const { variables, slots } = this.catalog;
    const declared =
      type ??
      (variable !== 0 ? this.declared(variables.type[variable]) : slot !== NONE ? this.declared(slots.type[slot]) : 0);
    const thing: Thing = {
      kind,
      address,
      bytes,
      thread,
      variable,
      slot,
      type: declared,
      born: time,
      died: -1,
      lives: [],
      votes: new Map(),
      lines: new Set(),
      references: 0,
      number: this.things.length,
      isMapping,
    };
    this.things.push(thing);
    return this.bear(thing, core, time);
  }

  private bear(thing: Thing, core: number, time: number): Life {
    const life: Life = {
      thing,
      began: time,
      ended: null,
      end: 'alive',
      freeSlot: NONE,
      freedElsewhere: false,
      steps: [],
      lastCore: core,
      addresses: new Map(),
      locks: new Map(),
    };
    thing.lives.push(life);
    thing.died = -1;
    this.lives.push(life);
    for (const page of pagesOf(thing)) {
      const here = this.live.get(page) ?? [];
      this.live.set(page, here);
      here.push(life);
    }
    return life;
  }

  private kill(life: Life, time: number, end: 'freed' | 'ended', slot = NONE, core = -1): void {
    if (life.ended !== null) return;
    life.ended = time;
    life.thing.died = time;
    life.end = end;
    life.freeSlot = slot;
    life.freedElsewhere = end === 'freed' && core !== life.lastCore;
    this.settleAddresses(life);
    for (const page of pagesOf(life.thing))
      this.live.set(
        page,
        this.live.get(page)!.filter((other) => other !== life),
      );
  }

  private liveAt(address: number): Life | null {
    const here = (this.live.get(Math.floor(address / 4096)) ?? []).filter(
      ({ thing }) => thing.address <= address && address < thing.address + thing.bytes,
    );
    for (const kind of ['stack', 'thread-local', 'global', 'heap']) {
      const own = here.filter(({ thing }) => thing.kind === kind);
      if (own.length > 0) return own[own.length - 1];
    }
    return null;
  }

  private overlapping(kind: Thing['kind'], address: number, bytes: number): Life[] {
    const found = new Set<Life>();
    for (const page of pagesOf({ address, bytes }))
      for (const life of this.live.get(page) ?? [])
        if (
          life.thing.kind === kind &&
          life.thing.address < address + bytes &&
          address < life.thing.address + life.thing.bytes
        )
          found.add(life);
    return [...found];
  }

  private heapAt(address: number): Life | undefined {
    return this.overlapping('heap', address, 1).find(({ thing }) => thing.address === address);
  }

  private step(step: Issued): void {
    const { thread, core, time } = step;
    const before = step.timeBefore;
    if ('function' in step) this.call(thread, step.function, 'enters' in step && step.enters, false);
    switch (step.what) {
      case 'allocate':
        for (const life of this.overlapping('heap', step.address, step.bytes)) this.kill(life, time, 'ended');
        this.create('heap', step.address, step.bytes, thread, core, 0, NONE, time, undefined, step.isMapping);
        break;
      case 'allocation-record': {
        const life = this.heapAt(step.address);
        if (life && life.thing.thread === thread && step.slot !== NONE) {
          life.thing.slot = step.slot;
          life.thing.type = this.declared(this.catalog.slots.type[step.slot]);
        }
        break;
      }
      case 'free-record':
        this.freeSlots.set(thread, { address: step.address, slot: step.slot });
        break;
      case 'free': {
        const site = this.freeSlots.get(thread);
        const slot = site?.address === step.address ? site.slot : NONE;
        const life = this.heapAt(step.address);
        if (life) this.kill(life, time, 'freed', slot, core);
        break;
      }
      case 'acquire':
        this.acquire(step, step.lock, step.address);
        break;
      case 'release':
        this.release(step, step.lock, step.address);
        break;
      case 'thread-local':
        for (const life of this.overlapping('thread-local', step.address, step.bytes)) this.kill(life, time, 'ended');
        this.create('thread-local', step.address, step.bytes, thread, core, step.variable, NONE, time);
        break;
      case 'thread-end':
        for (const frame of this.frames[thread]?.splice(0) ?? [])
          for (const life of frame.lives) this.kill(life, time, 'ended');
        for (const life of this.lives)
          if (life.thing.kind === 'thread-local' && life.thing.thread === thread) this.kill(life, time, 'ended');
        break;
      case 'segment':
      case 'marker':
        if (step.opens.length > 0) this.openFrame(step, before);
        for (const access of step.accesses) this.access(thread, core, access);
        if (step.closes) {
          const frames = (this.frames[thread] ??= []);
          let at = -1;
          frames.forEach((frame, index) => {
            if (frame.function === step.function && frame.lives.some(({ ended }) => ended === null)) at = index;
          });
          if (at >= 0)
            for (const frame of frames.splice(at)) for (const life of frame.lives) this.kill(life, time, 'ended');
        }
    }
    if ('function' in step && 'leaves' in step && step.leaves) this.call(thread, step.function, false, true);
  }

  private call(thread: number, id: number, enters: boolean, leaves: boolean): void {
    if (id === 0) return;
    const stack = (this.stacks[thread] ??= []);
    if (leaves) {
      if (stack.at(-1) === id) stack.pop();
    } else if (enters) stack.push(id);
    else if (stack.at(-1) !== id) {
      while (stack.length > 0 && stack.includes(id) && stack.at(-1) !== id) stack.pop();
      if (stack.at(-1) !== id) stack.push(id);
    }
  }

  private openFrame({ thread, core, ...step }: Extract<Issued, { what: 'segment' | 'marker' }>, time: number): void {
    const { slots } = this.catalog;
    const lowest = Math.min(...step.opens.map(({ address }) => address));
    for (const life of this.lives)
      if (
        life.ended === null &&
        life.thing.kind === 'stack' &&
        life.thing.thread === thread &&
        life.thing.address < lowest
      )
        this.kill(life, time, 'ended');
    for (const { slot, address } of step.opens)
      for (const life of this.overlapping('stack', address, slots.sizeBytes[slot])) this.kill(life, time, 'ended');
    const lives = step.opens.flatMap(({ slot, address }) => {
      const variable = slots.variable[slot];
      const bytes = slots.sizeBytes[slot];
      const known = this.things.find(
        (thing) =>
          thing.kind === 'stack' &&
          thing.thread === thread &&
          thing.address === address &&
          thing.variable === variable &&
          thing.bytes === bytes,
      );
      if (known?.lives.at(-1)?.ended === null) return [];
      const life = known
        ? this.bear(known, core, time)
        : this.create(
            'stack',
            address,
            bytes,
            thread,
            core,
            variable,
            NONE,
            time,
            variable === 0 ? this.declared(slots.type[slot]) : undefined,
          );
      return life ? [life] : [];
    });
    (this.frames[thread] ??= []).push({ function: step.function, lives });
  }

  /** What was declared says nothing of what it holds: an array of no structs, on the heap one element too. */
  private isMemory({ type, kind }: Thing): boolean {
    return type !== 0 && !this.isRecord(type) && (kind === 'heap' || this.catalog.types.kind[type] === 6);
  }

  /** More than a page from the heap, of bytes if of anything, and two structs were named in it. */
  private isPool(thing: Thing): boolean {
    const { types } = this.catalog;
    const element = types.kind[thing.type] === 6 ? types.element[thing.type] : thing.type;
    const mayBe = thing.type === 0 || (this.isMemory(thing) && types.sizeBytes[element] === 1);
    return thing.kind === 'heap' && thing.bytes > 4096 && mayBe && thing.votes.size > 1;
  }

  private poolName(slot: number, bytes: number): string {
    return this.siteName(slot, bytes).replace(/^heap/, 'pool');
  }

  /** Row type and field-less label of a reference. */
  private labelOf(slot: number, thing: Thing | null): Label {
    const { slots, types } = this.catalog;
    const isOutranked = thing !== null && this.isMemory(thing) && this.isRecord(slots.type[slot]);
    if (thing && thing.type !== 0 && !isOutranked) return types.name[thing.type];
    if (this.isRecord(slots.type[slot])) return types.name[slots.type[slot]];
    if (thing?.kind === 'heap') return { slot: thing.slot, bytes: thing.bytes };
    return types.name[slots.type[slot]] || '(untyped)';
  }

  /** The keys that tallies count under; votes are those of the end. */
  private rowTypes: RowType[] = [];
  private readonly chains = new Map<number, string>();
  /** By row type, then by line: what missed there. */
  readonly lineCosts = new Map<string, Map<string, { cycles: number; misses: number }>>();

  /** The first line outside the compiler's and its libraries' files, inlined ones included; else the innermost. */
  ownLine(slot: number): string | null {
    const own = this.ownFrame(slot);
    return own === null ? this.siteOf(slot) : `${own.file}:${own.line}`;
  }

  ownFunction(slot: number): string | null {
    const own = this.ownFrame(slot);
    return own === null ? this.functionOf(slot) : this.catalog.functions.name[own.function] || null;
  }

  /** If all of them are libraries', the one that the others were inlined into. */
  private allocatorOf(slot: number): string | null {
    if (slot === NONE || this.ownFrame(slot) !== null) return this.ownFunction(slot);
    const { slots, positions, functions } = this.catalog;
    let name = slots.function[slot];
    for (let at = slots.inlinedAt[slot]; at !== 0; at = positions.inlinedAt[at]) name = positions.function[at];
    return functions.name[name] || null;
  }

  private ownFrame(slot: number): { file: string; line: number; function: number } | null {
    if (slot === NONE) return null;
    const { slots, positions, systemFiles } = this.catalog;
    let at = {
      file: slots.file[slot],
      line: slots.line[slot],
      function: slots.function[slot],
      outer: slots.inlinedAt[slot],
    };
    while (systemFiles.has(at.file) || at.file === '') {
      if (at.outer === 0) return null;
      const { outer } = at;
      at = {
        file: positions.file[outer],
        line: positions.line[outer],
        function: positions.function[outer],
        outer: positions.inlinedAt[outer],
      };
    }
    return at;
  }

  private access(thread: number, core: number, { kind, address, bytes, slot }: IssuedAccess): void {
    const { lineBytes } = this.machine;
    const where = this.liveAt(address);
    const counts = (where ?? this.nowhere).addresses;
    const here = counts.get(address) ?? new Map<string, number>();
    counts.set(address, here);
    const key = `${thread} ${slot}`;
    here.set(key, (here.get(key) ?? 0) + 1);
    let latency = 0;
    let first: { step: Step | null; sums: FunctionSums; row: RowType } | null = null;
    let missed = false;
    for (let at = address; at < address + bytes; ) {
      const until = Math.min(address + bytes, (Math.floor(at / lineBytes) + 1) * lineBytes);
      const outcome = this.reference(thread, core, kind, at, until - at, slot);
      latency = Math.max(latency, outcome.latency);
      missed ||= outcome.server !== 'l1';
      first ??= { step: outcome.step, sums: outcome.sums, row: outcome.row };
      at = until;
    }
    if (first?.step) first.step.latency += latency;
    if (first) {
      first.sums.latency += latency;
      if (missed) first.sums.missLatency += latency;
      if (missed) first.row.cycles += latency;
    }
  }

  private reference(
    thread: number,
    core: number,
    kind: 'r' | 'w' | 'a',
    address: number,
    bytes: number,
    slot: number,
  ): { latency: number; server: Server; step: Step | null; sums: FunctionSums; row: RowType } {
    const { machine, now } = this;
    const line = Math.floor(address / machine.lineBytes);
    const chip = Math.floor(core / machine.coresPerLlc);
    const life = this.liveAt(address);
    const thing = life?.thing ?? null;
    this.references++;
    this.made++;
    if (kind === 'r') this.loads++;
    const units: Record<Level, Unit> = { l1: this.units.l1[core], l2: this.units.l2[core], llc: this.units.llc[chip] };
    const label = this.labelOf(slot, thing);

    let server: Server = 'memory';
    const missed: Level[] = [];
    for (const level of LEVELS) {
      if (units[level].touch(line)) {
        server = level;
        break;
      }
      missed.push(level);
    }
    const owner = this.modified.get(line);
    if (missed.includes('l2') && owner !== undefined && owner !== core) {
      server = 'cache';
      if (kind === 'r') this.modified.delete(line);
    }
    // classes before histories move on
    const range = Array.from({ length: bytes }, (_, at) => address + at);
    const nears = {
      l1: this.histories.l1[core].pass(line),
      l2: this.histories.l2[core].pass(line),
      llc: this.histories.llc[chip].pass(line),
    };
    const classes: Partial<Record<Level, ClassName>> = {};
    for (const level of missed) {
      const stored = this.histories[level][level === 'llc' ? chip : core].stored.get(line);
      classes[level] =
        stored === undefined
          ? 'compulsory'
          : stored.size > 0
            ? range.some((at) => stored.has(at))
              ? 'true-sharing'
              : 'false-sharing'
            : nears[level]
              ? 'conflict'
              : 'capacity';
    }
    for (const level of LEVELS) this.histories[level][level === 'llc' ? chip : core].stored.set(line, new Set());
    for (const level of [...missed].reverse()) {
      const unit = units[level];
      const victim = unit.fill(line);
      if (victim !== undefined) this.leave(level, unit, victim);
      unit.copies.set(line, { owner: life, since: now, used: new Set() });
      this.fills[level]++;
      this.missSets.push({ level, set: line % unit.sets.length, label });
      if (
        victim !== undefined &&
        level !== 'llc' &&
        this.modified.get(victim) === core &&
        !this.units.l1[core].copies.has(victim) &&
        !this.units.l2[core].copies.has(victim)
      )
        this.modified.delete(victim);
    }
    for (const at of range) units.l1.copies.get(line)!.used.add(at);
    if (kind !== 'r') {
      this.units.l1.forEach((unit, other) => {
        if (other === core) return;
        if (unit.copies.has(line) || this.units.l2[other].copies.has(line)) this.invalidations++;
        for (const level of ['l1', 'l2'] as const) this.drop(level, this.units[level][other], line);
        const stored = [this.histories.l1[other].stored.get(line), this.histories.l2[other].stored.get(line)];
        for (const set of stored) if (set) for (const at of range) set.add(at);
      });
      this.units.llc.forEach((unit, other) => {
        if (other === chip) return;
        this.drop('llc', unit, line);
        const set = this.histories.llc[other].stored.get(line);
        if (set) for (const at of range) set.add(at);
      });
      this.modified.set(line, core);
    }
    const latency =
      server === 'memory'
        ? machine.memoryLatencyCycles
        : server === 'cache'
          ? machine.cacheToCacheLatencyCycles
          : machine[server].latencyCycles;

    // votes, objects, paths
    const { slots, types } = this.catalog;
    let step: Step | null = null;
    if (life) {
      if (this.isRecord(slots.type[slot]))
        life.thing.votes.set(
          types.name[slots.type[slot]],
          (life.thing.votes.get(types.name[slots.type[slot]]) ?? 0) + 1,
        );
      life.thing.references++;
      life.thing.lines.add(line);
      const place = this.by === 'ip' ? String(slot) : this.nameChain(slot);
      const last = life.steps.at(-1);
      const offset = address - life.thing.address;
      if (last && last.place === place && last.core === core) step = last;
      else {
        step = {
          place,
          slot,
          core,
          coreChange: core !== life.lastCore,
          time: now - life.began,
          begin: offset,
          end: offset,
          latency: 0,
          served: { l1: 0, l2: 0, llc: 0, cache: 0, memory: 0 },
        };
        life.steps.push(step);
      }
      step.served[server]++;
      step.begin = Math.min(step.begin, offset);
      step.end = Math.max(step.end, offset + bytes);
      life.lastCore = core;
    }
    // functions
    const name = this.functionOf(slot) ?? '';
    let sums = this.functions.get(name);
    if (!sums)
      this.functions.set(
        name,
        (sums = {
          loads: 0,
          stores: 0,
          latency: 0,
          missLatency: 0,
          beyond: { l1: 0, l2: 0, llc: 0 },
          misses: { l1: noClasses(), l2: noClasses(), llc: noClasses() },
          types: new Map(),
        }),
      );
    if (kind === 'r') sums.loads++;
    else sums.stores++;
    for (const level of missed) sums.misses[level][classes[level]!]++;
    if (server !== 'l1') sums.beyond.l1 += machine.l2.latencyCycles - machine.l1.latencyCycles;
    if (server === 'cache') sums.beyond.l2 += latency - machine.l2.latencyCycles;
    else if (server === 'llc' || server === 'memory')
      sums.beyond.l2 += machine.llc.latencyCycles - machine.l2.latencyCycles;
    if (server === 'memory') sums.beyond.llc += latency - machine.llc.latencyCycles;
    const row: RowType = { sums, slot, thing, misses: missed.length > 0 ? 1 : 0, cycles: 0 };
    this.rowTypes.push(row);
    // locks
    const innermost = this.holds[thread]?.at(-1);
    if (innermost) {
      const labelKey = JSON.stringify(label);
      let data = innermost.row.data.get(labelKey);
      if (!data)
        innermost.row.data.set(labelKey, (data = { label, references: 0, misses: 0, trueSharing: 0, falseSharing: 0 }));
      data.references++;
      if (missed.length > 0) data.misses++;
      if (classes.l1 === 'true-sharing') data.trueSharing++;
      if (classes.l1 === 'false-sharing') data.falseSharing++;
    }
    return { latency, server, step, sums, row };
  }

  private drop(level: Level, unit: Unit, line: number): void {
    if (!unit.copies.has(line)) return;
    unit.remove(line);
    this.leave(level, unit, line);
  }

  private leave(level: Level, unit: Unit, line: number): void {
    const copy = unit.copies.get(line)!;
    unit.copies.delete(line);
    this.countStay(level, copy);
    if (level === 'l1') this.countBytes(line, copy);
  }

  private countStay(level: Level, { owner, since }: Copy): void {
    const from = Math.max(since, this.begin);
    const died = Math.max(from, owner?.ended ?? this.now);
    const key = owner ? String(owner.thing.number) : '';
    let times = this.lineTimes.get(key);
    if (!times)
      this.lineTimes.set(
        key,
        (times = { l1: { alive: 0, freed: 0 }, l2: { alive: 0, freed: 0 }, llc: { alive: 0, freed: 0 } }),
      );
    times[level].alive += died - from;
    times[level].freed += this.now - died;
  }

  private countBytes(line: number, { used }: Copy): void {
    const { lineBytes } = this.machine;
    for (let at = line * lineBytes; at < (line + 1) * lineBytes; at++) {
      const thing = this.liveAt(at)?.thing;
      const { types, variables } = this.catalog;
      const label: Label = !thing
        ? '(no object)'
        : thing.type !== 0
          ? types.name[thing.type]
          : thing.kind === 'heap'
            ? { slot: thing.slot, bytes: thing.bytes }
            : '(untyped)';
      const field = !thing
        ? null
        : thing.type !== 0 && this.isRecord(thing.type)
          ? this.leafOf(thing, at - thing.address)
          : thing.kind === 'heap'
            ? null
            : variables.name[thing.variable] || null;
      const key = JSON.stringify([label, field]);
      let row = this.unused.get(key);
      if (!row) this.unused.set(key, (row = { label, field, fetched: 0, unused: 0 }));
      row.fetched++;
      if (!used.has(at)) row.unused++;
    }
  }

  /** The innermost member that has the byte of a declared struct, as reports spell it. */
  leafOf(thing: Thing, offset: number): string | null {
    const { types, slots } = this.catalog;
    if (types.memberCount[thing.type] === 0) return null;
    const own =
      thing.kind === 'heap' && thing.slot !== NONE && slots.offset[thing.slot] !== NONE ? slots.offset[thing.slot] : 0;
    const at = (offset - own + types.sizeBytes[thing.type] * 16) % types.sizeBytes[thing.type];
    const member = this.memberAt(thing.type, at);
    return member === '(opaque)' ? null : member;
  }

  /**
   * A base's members are the class's own; those of a class may lie in what pads its base. Arrays of no size, and what
   * lies behind them, are not for this.
   */
  private memberAt(type: number, offset: number): string {
    const { types, members } = this.catalog;
    if (types.kind[type] === 4) return '(union)';
    const all = Array.from({ length: types.memberCount[type] }, (_, at) => types.firstMember[type] + at);
    const isBase = (member: number): boolean => (members.flags[member] & 1) !== 0;
    // An empty member has no bytes where another member has some.
    const isEmpty = (member: number): boolean => {
      const inner = members.type[member];
      return (
        this.isRecord(inner) &&
        Array.from({ length: types.memberCount[inner] }, (_, at) => types.firstMember[inner] + at).every(isEmpty)
      );
    };
    const rank = (member: number): number => (isEmpty(member) ? 2 : 0) + (isBase(member) ? 1 : 0);
    for (const member of all.sort((a, b) => rank(a) - rank(b))) {
      const inner = members.type[member];
      const at = offset - members.offsetBytes[member];
      if (at < 0 || at >= types.sizeBytes[inner]) continue;
      let name = isBase(member) ? '' : members.name[member];
      let element = inner;
      let inElement = at;
      while (types.kind[element] === 6) {
        element = types.element[element];
        if (!name.endsWith('[]')) name += '[]';
        inElement %= types.sizeBytes[element];
      }
      if (!this.isRecord(element) || types.kind[element] === 4 || types.memberCount[element] === 0)
        return name || (types.kind[element] === 4 || !this.isRecord(element) ? '(union)' : '(opaque)');
      const rest = this.memberAt(element, inElement);
      if (rest === '(padding)' || (isBase(member) && rest === '')) continue;
      if (rest === '(opaque)') return name || rest; // a base that nobody knows
      return name === '' || rest === '(union)' ? (rest === '(union)' && name !== '' ? name : rest) : `${name}.${rest}`;
    }
    return '(padding)';
  }

  private acquire(step: Issued, kind: string, address: number): void {
    const { thread, clock, raisedBy } = step;
    const life = this.liveAt(address);
    const key = `${kind} ${address}`;
    const known = (life ?? this.nowhere).locks;
    let row = known.get(key);
    if (!row) {
      const thing = life?.thing ?? null;
      const { types, variables } = this.catalog;
      const label: Label = !thing
        ? '(no object)'
        : thing.type !== 0
          ? types.name[thing.type]
          : thing.kind === 'heap'
            ? { slot: thing.slot, bytes: thing.bytes }
            : '(untyped)';
      const type = this.nameOf(label);
      const field =
        thing && thing.type !== 0 && this.isRecord(thing.type) ? this.leafOf(thing, address - thing.address) : null;
      const whole = thing && thing.variable !== 0 ? variables.name[thing.variable] : type;
      const name = field === null || field === '(union)' ? whole : `${whole}.${field}`;
      const rowKey = `${kind} ${name}`;
      row = this.locks.get(rowKey);
      if (!row)
        this.locks.set(
          rowKey,
          (row = {
            lock: name,
            kind,
            type,
            locks: 0,
            acquisitions: 0,
            threads: new Map(),
            functions: new Map(),
            waits: 0,
            wait: 0,
            longestWait: 0,
            holds: 0,
            hold: 0,
            longestHold: 0,
            data: new Map(),
          }),
        );
      row.locks++;
      known.set(key, row);
    }
    row.acquisitions++;
    row.threads.set(thread, (row.threads.get(thread) ?? 0) + 1);
    const path = (this.stacks[thread] ?? [])
      .slice(-4)
      .reverse()
      .map((id) => this.catalog.functions.name[id])
      .join('\n');
    row.functions.set(path, (row.functions.get(path) ?? 0) + 1);
    if (raisedBy > 0) {
      row.waits++;
      row.wait += raisedBy;
      row.longestWait = Math.max(row.longestWait, raisedBy);
    }
    if (kind === 'semaphore') return;
    const holds = (this.holds[thread] ??= []);
    const held = holds.find((hold) => hold.key === key);
    if (held) held.depth++;
    else holds.push({ key, row, since: clock, depth: 1 });
  }

  private release({ thread, clock }: Issued, kind: string, address: number): void {
    const holds = this.holds[thread] ?? [];
    const at = holds.findIndex(({ key }) => key === `${kind} ${address}`);
    if (at < 0 || --holds[at].depth > 0) return;
    const [{ row, since }] = holds.splice(at, 1);
    row.holds++;
    row.hold += clock - since;
    row.longestHold = Math.max(row.longestHold, clock - since);
  }

  private settleAddresses(life: Life | null): void {
    for (const [address, counts] of (life ?? this.nowhere).addresses) {
      const threads = new Map<string, number>();
      for (const [key, count] of counts) threads.set(key.split(' ')[0], (threads.get(key.split(' ')[0]) ?? 0) + count);
      const [busiest, next] = [...threads.values()].sort((a, b) => b - a);
      if (next === undefined) continue;
      this.sharedAddresses.shared++;
      if (busiest >= 2 * next) continue;
      this.sharedAddresses.kept++;
      for (const [key, count] of counts) {
        const [thread, slot] = key.split(' ').map(Number);
        const { slots, variables } = this.catalog;
        const thing = life?.thing ?? null;
        const label = this.labelOf(slot, thing);
        const field =
          thing && thing.type !== 0 && this.isRecord(thing.type)
            ? this.declared(slots.type[slot]) === thing.type && slots.path[slot] !== ''
              ? slots.path[slot]
              : this.leafOf(thing, address - thing.address)
            : this.isRecord(slots.type[slot]) && (!thing || thing.type === 0 || this.isMemory(thing))
              ? slots.path[slot] || null
              : null;
        const variable =
          thing && thing.variable !== 0
            ? variables.name[thing.variable]
            : !thing && slots.variable[slot] !== 0
              ? variables.name[slots.variable[slot]]
              : label;
        const spelled: Label =
          typeof variable === 'string' ? (field === null ? variable : `${variable}.${field}`) : variable;
        const rowKey = JSON.stringify([slots.file[slot], slots.line[slot], spelled]);
        let row = this.sharedRows.get(rowKey);
        if (!row)
          this.sharedRows.set(
            rowKey,
            (row = { file: slots.file[slot], line: slots.line[slot], variable: spelled, threads: new Map() }),
          );
        row.threads.set(thread, (row.threads.get(thread) ?? 0) + count);
      }
    }
    (life ?? this.nowhere).addresses.clear();
  }

  private beginWindow(time: number): void {
    this.begin = time;
    this.references = this.loads = this.invalidations = 0;
    this.fills = { l1: 0, l2: 0, llc: 0 };
    for (const table of [this.functions, this.lineTimes, this.unused, this.sharedRows]) table.clear();
    this.missSets.length = this.rowTypes.length = 0;
    this.sharedAddresses.shared = this.sharedAddresses.kept = 0;
    for (const thing of this.things) {
      thing.lines.clear();
      thing.references = 0;
    }
    for (const life of this.lives) {
      life.steps = [];
      life.addresses.clear();
      life.locks.clear();
    }
    this.nowhere.addresses.clear();
    this.nowhere.locks.clear();
    const gone = new Set(this.lives.filter(({ ended }) => ended !== null));
    this.lives.splice(0, this.lives.length, ...this.lives.filter((life) => !gone.has(life)));
    for (const thing of this.things)
      thing.lives.splice(0, thing.lives.length, ...thing.lives.filter((life) => !gone.has(life)));
    for (const row of this.locks.values()) {
      row.locks =
        row.acquisitions =
        row.waits =
        row.wait =
        row.longestWait =
        row.holds =
        row.hold =
        row.longestHold =
          0;
      row.threads.clear();
      row.functions.clear();
      row.data.clear();
    }
  }

  private finish(): void {
    this.now = this.end;
    for (const level of LEVELS)
      for (const unit of this.units[level])
        for (const [line, copy] of unit.copies) {
          this.countStay(level, copy);
          if (level === 'l1') this.countBytes(line, copy);
        }
    for (const life of this.lives) if (life.ended === null) this.settleAddresses(life);
    this.settleAddresses(null);
    for (const { row } of this.holds.flatMap((holds) => holds ?? []))
      this.unreleased.set(row, (this.unreleased.get(row) ?? 0) + 1);
    for (const { sums, slot, thing, misses, cycles } of this.rowTypes) {
      const { types, slots } = this.catalog;
      const isOutranked = thing !== null && this.isMemory(thing) && this.isRecord(slots.type[slot]);
      const type =
        thing && this.isPool(thing) && !this.isRecord(slots.type[slot])
          ? this.poolName(thing.slot, thing.bytes)
          : thing && thing.type !== 0 && !isOutranked
            ? types.name[thing.type]
            : this.isRecord(slots.type[slot])
              ? types.name[slots.type[slot]]
              : thing && thing.kind !== 'global' && winner(thing.votes)
                ? winner(thing.votes)!
                : thing?.kind === 'heap'
                  ? this.siteName(thing.slot, thing.bytes)
                  : types.name[slots.type[slot]] || '(untyped)';
      sums.types.set(type, (sums.types.get(type) ?? 0) + misses);
      const line = this.ownLine(slot);
      const lines = this.lineCosts.get(type) ?? new Map<string, { cycles: number; misses: number }>();
      this.lineCosts.set(type, lines);
      if (line === null) continue;
      const cost = lines.get(line) ?? { cycles: 0, misses: 0 };
      lines.set(line, { cycles: cost.cycles + cycles, misses: cost.misses + misses });
    }
  }
}

function pagesOf({ address, bytes }: { readonly address: number; readonly bytes: number }): number[] {
  const first = Math.floor(address / 4096);
  return Array.from({ length: Math.floor((address + bytes - 1) / 4096) - first + 1 }, (_, at) => first + at);
}

function winner(votes: ReadonlyMap<string, number>): string | undefined {
  return [...votes].sort(([a, own], [b, other]) => other - own || (a < b ? -1 : 1))[0]?.[0];
}

function noClasses(): Record<ClassName, number> {
  return { compulsory: 0, 'true-sharing': 0, 'false-sharing': 0, conflict: 0, capacity: 0 };
}
