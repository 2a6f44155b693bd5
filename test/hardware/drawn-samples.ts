// Typed samples drawn as rows, one for each (type, offset, place, event, data source, CPU).

import { joinDataSource } from './join-data-source.js';
import { Level, LevelNumber, Operation, Snoop } from '../../src/hardware/samples/data-source-bits.js';
import {
  TYPED_OBJECTS,
  TYPED_ROWS,
  type SampledLives,
  type SampledPlace,
  type SampledType,
  type TypedObjectColumns,
  type TypedRowColumns,
  type TypedSamples,
} from '../../src/hardware/samples/typed-samples.js';
import { ELEMENTS, type SampledEvent } from '../../src/hardware/samples/samples.js';

/** Who supplied the bytes, as PEBS would say it. */
export type DrawnLevel = 'L1' | 'L2' | 'L3' | 'memory' | 'other-cache' | 'unknown';

export interface DrawnRow {
  /** `struct packet.lock`: a type of the list and one of its fields; '': untyped. */
  readonly what: string;
  /** `send net.c:12`. */
  readonly at: string;
  readonly op?: 'load' | 'store';
  readonly from?: DrawnLevel;
  readonly cpu?: number;
  readonly samples: number;
  /** The latency of each. */
  readonly latency?: number;
}

export interface DrawnObject {
  readonly type: string;
  readonly address: number;
  readonly born: number;
  readonly died?: number;
  readonly cpu?: number;
  readonly at?: string;
  readonly freedAt?: string;
  readonly samples?: number;
}

export interface DrawnSamples {
  readonly types: readonly (Pick<SampledType, 'name'> & Partial<SampledType>)[];
  readonly rows: readonly DrawnRow[];
  readonly objects?: readonly DrawnObject[];
  readonly loadPeriod?: number;
  readonly storePeriod?: number;
  readonly buildId?: string;
  readonly more?: Partial<TypedSamples>;
}

export const NO_LIVES: SampledLives = {
  allocations: 0,
  frees: 0,
  peakObjects: 0,
  peakBytes: 0,
  averageObjects: 0,
  averageBytes: 0,
  lifetimeNs: 0,
  sampledObjects: 0,
  bouncedObjects: 0,
  writeSharedObjects: 0,
};

export function drawTypedSamples({
  types: named,
  rows: drawn,
  objects: alive = [],
  loadPeriod = 20_000,
  storePeriod = 50_000,
  buildId = 'aa11',
  more,
}: DrawnSamples): TypedSamples {
  const types: SampledType[] = [
    { name: '', rule: 'untyped', bytes: 0, fields: [], lives: null },
    ...named.map((type) => ({ rule: 'object' as const, bytes: 64, fields: [], lives: null, ...type })),
  ];
  const places: SampledPlace[] = [
    { ip: '0', function: '', within: '', file: '', line: 0, column: 0, module: -1, offset: 0 },
  ];
  const placeOf = (text: string | undefined): number => {
    if (text === undefined) return 0;
    const [, name, file, line] = /^(\S+) (\S+):(\d+)$/.exec(text)!;
    const found = places.findIndex(
      (place) => place.function === name && place.file === file && place.line === Number(line),
    );
    if (found !== -1) return found;
    const offset = 0x1000 + 4 * places.length;
    return (
      places.push({
        ip: (0x400000 + offset).toString(16),
        function: name,
        within: name,
        file,
        line: Number(line),
        column: 1,
        module: 0,
        offset,
      }) - 1
    );
  };
  const typeOf = (name: string): number => {
    const type = types.findIndex((each) => each.name === name);
    if (type === -1) throw new Error(`no type ${name}`);
    return type;
  };
  const split = (what: string): [number, number] => {
    if (types.some(({ name }) => name === what)) return [typeOf(what), 0];
    const type = types.findIndex(({ name, fields }) => fields.some(({ path }) => `${name}.${path}` === what));
    if (type === -1) throw new Error(`no field ${what}`);
    return [type, types[type].fields.find(({ path }) => `${types[type].name}.${path}` === what)!.offset];
  };
  const lines = drawn.map((row) => {
    const [type, offset] = split(row.what);
    const isStore = row.op === 'store';
    const period = isStore ? storePeriod : loadPeriod;
    const latency = row.latency ?? 0;
    return {
      type,
      offset: BigInt(offset),
      place: placeOf(row.at),
      event: isStore ? 1 : 0,
      dataSource: dataSourceOf(row),
      cpu: row.cpu ?? 0,
      samples: row.samples,
      period: BigInt(period * row.samples),
      periodSquares: period ** 2 * row.samples,
      weight: BigInt(latency * row.samples),
      weightSquares: latency ** 2 * row.samples,
    };
  });
  const keys = ['type', 'offset', 'place', 'event', 'dataSource', 'cpu'] as const;
  lines.sort(
    (a, b) => keys.map((key) => Number(a[key] > b[key]) - Number(a[key] < b[key])).find((order) => order !== 0) ?? 0,
  );
  const objects = alive.map((object) => ({
    type: typeOf(object.type),
    address: BigInt(object.address),
    bytes: BigInt(types[typeOf(object.type)].bytes),
    bornNs: BigInt(object.born),
    diedNs: BigInt(object.died ?? 0),
    thread: 100 + (object.cpu ?? 0),
    cpu: object.cpu ?? 0,
    allocatedAt: placeOf(object.at),
    freedAt: placeOf(object.freedAt),
    samples: object.samples ?? 0,
  }));
  const event = (name: string, index: number, period: number): SampledEvent => ({
    name,
    source: 'pebs',
    fields: ['ip', 'thread', 'time', 'address', 'cpu', 'period', 'weight', 'dataSource'],
    type: 4,
    config: '1cd',
    address: '0',
    length: '0',
    period: String(period),
    isFrequency: false,
    preciseIp: 3,
    samples: lines.filter((line) => line.event === index).reduce((sum, line) => sum + line.samples, 0),
  });
  return {
    run: {
      origin: 'dprof',
      hostname: 'drawn',
      kernel: '6.1',
      architecture: 'x86_64',
      cpu: 'drawn',
      cpuId: '',
      perfVersion: '',
      command: ['./program'],
      clock: 1,
      isBigEndian: false,
    },
    events: [event('mem-loads', 0, loadPeriod), event('mem-stores', 1, storePeriod)],
    lost: { records: 0, samples: 0, throttles: 0, truncatedAux: 0, outOfOrder: 0, skipped: {} },
    names: [],
    changes: [],
    modules: [{ file: '/usr/bin/program', buildId, isInstrumented: false, isKernel: false }],
    places,
    types,
    untyped: countUntyped(lines),
    mostObjects: 65_536,
    startNs: '1000',
    endNs: '1000001000',
    ended: 'exited with status 0',
    threads: 2,
    cpus: 2,
    startStamp: '0',
    endStamp: '0',
    trace: null,
    aslr: false,
    notes: {},
    rows: columnsOf(TYPED_ROWS, lines) as unknown as TypedRowColumns,
    objects: columnsOf(TYPED_OBJECTS, objects) as unknown as TypedObjectColumns,
    ...more,
  };
}

function countUntyped(lines: readonly { readonly type: number; readonly samples: number }[]): Record<string, number> {
  const samples = lines.filter(({ type }) => type === 0).reduce((sum, line) => sum + line.samples, 0);
  return samples === 0 ? {} : { 'unknown-memory': samples };
}

function columnsOf(
  names: Readonly<Record<string, keyof typeof ELEMENTS>>,
  lines: readonly Readonly<Record<string, number | bigint>>[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(names).map(([name, element]) => [
      name,
      (ELEMENTS[element] as { from(values: unknown[]): unknown }).from(lines.map((line) => line[name])),
    ]),
  );
}

const NUMBERS = {
  L1: LevelNumber.l1,
  L2: LevelNumber.l2,
  L3: LevelNumber.l3,
  memory: LevelNumber.memory,
  'other-cache': LevelNumber.anyCache,
  unknown: 0,
} as const;

function dataSourceOf({ op = 'load', from = 'L1' }: DrawnRow): bigint {
  return joinDataSource({
    operation: Operation[op],
    level: Level.hit,
    levelNumber: NUMBERS[from],
    snoop: from === 'other-cache' ? Snoop.hitModified : Snoop.none,
    tlb: 0,
    lock: 0,
    remote: 0,
    blocked: 0,
    hops: 0,
  });
}
