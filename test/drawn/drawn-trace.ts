// A drawing and the memory that it names to a trace. Row r of a thread is issued at clock r: a cell's last segment
// counts as many instructions as there are rows to the thread's next cell (one without references is added where the
// cell has none), so in the logical schedule rows are time unless synchronisation says otherwise.

import { Allocator, EventCode, MarkKind, RecordFlag, Sync, type SlotKind } from '../../src/trace/layout.js';
import type { EncodedStep, EventEntry } from '../trace/event-encoder.js';
import type { Mapping } from '../../src/trace/mapping-chunk.js';
import type { ModuleGlobal } from '../../src/trace/module-chunk.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import type { UnitSlot } from '../../src/trace/unit.js';
import type { DrawnAction, DrawnCell, Drawing } from './drawing.js';
import { UnitBuilder, type SlotOptions } from './unit-builder.js';

/** Fields of a struct: [offset, size]. */
export interface DrawnType {
  readonly size: number;
  readonly fields: Readonly<Record<string, readonly [number, number]>>;
  readonly kind?: 'struct' | 'union' | 'class';
  /** An array of scalars of so many bytes each. */
  readonly element?: number;
}

export interface DrawnMemory {
  readonly types?: Readonly<Record<string, DrawnType>>;
  /** [type or '' for none, address, size if there is no type]. */
  readonly globals?: Readonly<Record<string, readonly [string, number, number?]>>;
  /**
   * Heap blocks for `alloc` and `free`. `type` '' leaves it undeclared; `site: false` writes no ALLOCATION record,
   * `record: 'only'` no event.
   */
  readonly heap?: Readonly<
    Record<
      string,
      {
        address: number;
        size: number;
        type?: string;
        site?: boolean;
        record?: 'only';
        mmap?: boolean;
        sized?: boolean;
        part?: boolean;
        pool?: number;
      }
    >
  >;
  /** Functions with stack variables, for `enter` and `leave`: name to [type, address, size]. */
  readonly functions?: Readonly<Record<string, Readonly<Record<string, readonly [string, number, number?]>>>>;
  /** Places accessed by descriptors that know their struct although the object does not: name to [type, address]. */
  readonly views?: Readonly<Record<string, readonly [string, number]>>;
  /** Key of the stamp of row r, core c, instead of 1000 + 100 r + 10 c. */
  readonly stamp?: (row: number, core: number) => number;
  /** Shared memory of the process: a MAPPINGS chunk. */
  readonly mappings?: readonly Mapping[];
  readonly pid?: number;
  /** Cells of one core go to chunks of this many steps. */
  readonly stepsPerChunk?: number;
}

interface Place {
  readonly address: number;
  readonly options: SlotOptions;
}

const SYNC_NAMES: Readonly<Record<string, number>> = Sync;
export const STACKS_AT = 0x7f_0000;

export function drawnTrace(drawing: Drawing, memory: DrawnMemory): Uint8Array {
  return new TraceDrawer(drawing, memory).draw();
}

class TraceDrawer {
  private readonly builder = new UnitBuilder();
  private readonly types = new Map<string, number>();
  private readonly variables = new Map<string, number>();
  private readonly functions = new Map<string, number>();
  private readonly globals: ModuleGlobal[] = [];
  private readonly threads: EncodedStep[][];
  /** The cell's own stamps count up from its key. */
  private stamp = 0n;

  constructor(
    private readonly drawing: Drawing,
    private readonly memory: DrawnMemory,
  ) {
    this.threads = Array.from({ length: drawing.cores }, () => []);
    this.declare();
  }

  draw(): Uint8Array {
    const { cells, cores, rows } = this.drawing;
    for (let core = 0; core < cores; core++) {
      const own = cells.filter((cell) => cell.core === core);
      if (own.length > 0 && own[0].row > 0) this.work(core, own[0].row);
      own.forEach((cell, index) => {
        this.cell(cell, (own[index + 1]?.row ?? rows) - cell.row);
        if (!this.takesTime(cell) && index + 1 < own.length) this.work(core, own[index + 1].row - cell.row);
      });
    }
    const writer = new TraceWriter({ pid: this.memory.pid });
    writer.module('drawn', [writeUnit(this.builder.unit)], this.globals);
    if (this.memory.mappings) writer.mappings(this.memory.mappings);
    const size = this.memory.stepsPerChunk ?? Infinity;
    this.threads.forEach((steps, core) => {
      for (let at = 0; at < steps.length; at += size) writer.events(core, steps.slice(at, at + size));
    });
    return writer.finish();
  }

  private declare(): void {
    const { types = {}, globals = {}, functions = {} } = this.memory;
    const scalars = new Map<number, number>();
    const scalar = (bytes: number): number => {
      if (!scalars.has(bytes)) scalars.set(bytes, this.builder.type('scalar', `u${bytes * 8}`, bytes));
      return scalars.get(bytes) ?? 0;
    };
    for (const [name, { size, fields, kind = 'struct', element }] of Object.entries(types)) {
      const members = Object.entries(fields).map(([field, [offset, bytes]]) => {
        return { name: field, type: scalar(bytes), offset };
      });
      const more = element === undefined ? { members } : { element: scalar(element) };
      this.types.set(name, this.builder.type(element === undefined ? kind : 'array', name, size, more));
    }
    for (const [name, [type, address, size]] of Object.entries(globals)) {
      const variable = this.builder.variable('global', name, this.types.get(type) ?? 0, size ?? types[type].size);
      this.variables.set(name, variable);
      this.globals.push({ address: BigInt(address), unit: 0, variable });
    }
    for (const [name, locals] of Object.entries(functions)) {
      this.functions.set(name, this.builder.function(name));
      for (const [local, [type, , size]] of Object.entries(locals)) {
        this.variables.set(
          local,
          this.builder.variable('stack', local, this.types.get(type) ?? 0, size ?? types[type].size),
        );
      }
    }
  }

  /** Whether the cell has a segment, to which rows can be given. */
  private takesTime(cell: DrawnCell): boolean {
    return cell.actions.some(({ verb }) => /^[RWA]$|^copy$|^fill$|^work$/.test(verb));
  }

  private cell(cell: DrawnCell, rowsLeft: number): void {
    this.stamp = BigInt(this.memory.stamp?.(cell.row, cell.core) ?? 1000 + 100 * cell.row + 10 * cell.core);
    const segments = cell.actions.filter((action) => this.takesTime({ ...cell, actions: [action] }));
    for (const action of cell.actions) this.action(cell, action, action === segments.at(-1) ? rowsLeft : 0);
  }

  private action({ row, core }: DrawnCell, { verb, words }: DrawnAction, instructions: number): void {
    const at = { line: row, column: core };
    const inside = words.indexOf('in');
    const functionId = inside < 0 ? 0 : this.functionNamed(words[inside + 1]);
    const segment = (kinds: (keyof typeof SlotKind)[], places: Place[]): void => {
      const slots = places.map((place, index) => ({
        ...this.builder.slot(kinds[index], { ...place.options, line: at.line, function: functionId }),
        column: at.column,
      }));
      const path = this.builder.alone('segment', slots, { instructions });
      const stamped =
        verb === 'A'
          ? { stamped: { code: EventCode.both, stamp: this.nextStamp(), object: BigInt(places[0].address) } }
          : {};
      this.threads[core].push({ path, words: places.map((place) => BigInt(place.address)), ...stamped });
    };
    switch (verb) {
      case 'R':
        return segment(['load'], [this.place(words[0])]);
      case 'W':
        return segment(['store'], [this.place(words[0])]);
      case 'A':
        return segment(['atomicResult'], [this.place(words[0])]);
      case 'fill':
        return segment(['fill'], [this.place(words[0])]);
      case 'copy':
        return segment(['copyLoad', 'copyStore'], [this.place(words[1]), this.place(words[0])]);
      case 'work':
        return this.work(core, words[0] === undefined ? instructions : Number(words[0]));
      case 'alloc':
      case 'free':
        return this.block(core, verb, words[0], functionId);
      case 'drop':
        return this.event(core, { code: EventCode.free, detail: Allocator.pool, address: BigInt(words[0]) });
      case 'enter':
      case 'leave':
        return this.frame(core, verb, words[0], row);
      case 'start':
        return this.event(core, {
          code: EventCode.threadStart,
          creator: Number(words[0] ?? 0),
          address: BigInt(STACKS_AT + Number(words[2] ?? core) * 0x1000),
          size: 0x1000n,
        });
      case 'end':
        return this.event(core, {
          code: EventCode.threadEnd,
          address: BigInt(STACKS_AT + core * 0x1000),
          size: 0x1000n,
        });
      case 'create':
        return this.event(core, { code: EventCode.release, detail: Sync.threadCreate, address: BigInt(words[0]) });
      case 'join':
        return this.event(core, { code: EventCode.acquire, detail: Sync.threadJoin, address: BigInt(words[0]) });
      case 'lock':
        return this.event(core, { code: EventCode.acquire, detail: Sync.mutex, address: this.lockAt(words[0]) });
      case 'unlock':
        return this.event(core, { code: EventCode.release, detail: Sync.mutex, address: this.lockAt(words[0]) });
      case 'acquire':
      case 'release':
        return this.event(core, {
          code: EventCode[verb],
          detail: SYNC_NAMES[words[0]],
          address: this.lockAt(words[1]),
        });
      case 'mark':
        return this.event(core, { code: EventCode.mark, detail: MarkKind.phase, text: words[0] });
      case 'cpu':
        return this.event(core, { code: EventCode.time, cpu: Number(words[0]) });
      case 'blocked':
        return this.event(core, { code: EventCode.blocked });
      default:
        throw new Error(`drawn verb ${verb}`);
    }
  }

  private work(core: number, instructions: number): void {
    this.threads[core].push({ path: this.builder.alone('segment', [], { instructions }), words: [] });
  }

  /** A function that only accesses are in needs no declaration. */
  private functionNamed(name: string): number {
    const known = this.functions.get(name) ?? this.builder.function(name);
    this.functions.set(name, known);
    return known;
  }

  private block(core: number, verb: string, name: string, functionId: number): void {
    const block = this.memory.heap?.[name];
    if (!block) throw new Error(`drawn block ${name}`);
    const { address, size, type = '', site = true, mmap = false, sized = false, part = false, pool = 0 } = block;
    const detail = part ? Allocator.part : mmap ? Allocator.mmap : Allocator.malloc;
    const slot: UnitSlot = {
      ...this.builder.slot('site', { type: this.types.get(type) ?? 0, sizeBytes: 0 }),
      function: functionId,
    };
    if (verb === 'alloc') {
      if (block.record !== 'only')
        this.event(core, {
          code: EventCode.allocate,
          detail,
          address: BigInt(address),
          size: BigInt(size),
          pool,
        });
      if (site)
        this.threads[core].push({
          path: this.builder.alone('allocation', [slot]),
          words: [BigInt(address), BigInt(size)],
        });
      return;
    }
    if (site) this.threads[core].push({ path: this.builder.alone('free', [slot]), words: [BigInt(address)] });
    if (block.record !== 'only')
      this.event(core, {
        code: EventCode.free,
        detail,
        address: BigInt(address),
        size: mmap || sized ? BigInt(size) : 0n,
      });
  }

  private frame(core: number, verb: string, name: string, row: number): void {
    const locals = Object.entries(this.memory.functions?.[name] ?? {});
    const functionId = this.functions.get(name) ?? 0;
    if (verb === 'leave') {
      this.threads[core].push({
        path: this.builder.alone('marker', [], { flags: RecordFlag.exit | RecordFlag.frame, function: functionId }),
        words: [],
      });
      return;
    }
    const slots = locals.map(([local, [type, , size]]) =>
      this.builder.slot('object', {
        sizeBytes: size ?? this.memory.types?.[type].size,
        variable: this.variables.get(local),
        line: row,
      }),
    );
    const path = this.builder.alone('marker', slots, {
      flags: RecordFlag.entry | RecordFlag.frame,
      function: functionId,
    });
    this.threads[core].push({ path, words: locals.map(([, [, address]]) => BigInt(address)) });
  }

  private event(core: number, entry: EventEntry): void {
    this.threads[core].push({ ...entry, stamp: this.nextStamp() });
  }

  /** `@4000` and `stats.lock` lie there; any other name is a number of its own. */
  private lockAt(name: string): bigint {
    const { globals = {}, heap = {} } = this.memory;
    const [base] = name.split('.');
    return name.startsWith('@') || base in globals || base in heap
      ? BigInt(this.place(name).address)
      : objectNumber(name);
  }

  private nextStamp(): bigint {
    return this.stamp++;
  }

  /** Where `name.field+offset:size` or `@address:size` is, and what the descriptor of an access to it says. */
  private place(text: string): Place {
    const [, name, field = '', offset = '0', size] = /^(@?[\w]+)(?:\.(\w+))?(?:\+(\w+))?(?::(\d+))?$/.exec(text) ?? [];
    if (name === undefined) throw new Error(`drawn place ${text}`);
    if (name.startsWith('@'))
      return { address: parseInt(name.slice(1), 16) + Number(offset), options: { sizeBytes: Number(size ?? 8) } };
    const { types = {}, globals = {}, heap = {}, functions = {}, views = {} } = this.memory;
    const view = views[name];
    const stack = Object.values(functions)
      .flatMap((locals) => Object.entries(locals))
      .find(([local]) => local === name)?.[1];
    const block = heap[name];
    const [type, address] = view ?? globals[name] ?? stack ?? [block.type ?? '', block.address];
    const [fieldOffset, fieldSize] = field === '' ? [0, 8] : types[type].fields[field];
    const isStruct = type !== '' && field !== '';
    return {
      address: address + fieldOffset + Number(offset),
      options: {
        sizeBytes: Number(size ?? fieldSize),
        type: isStruct ? this.types.get(type) : 0,
        path: field,
        variable: view || block ? 0 : this.variables.get(name),
      },
    };
  }
}

function objectNumber(name: string): bigint {
  return BigInt([...name].reduce((number, letter) => number * 31 + letter.charCodeAt(0), 0));
}
