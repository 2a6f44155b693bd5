// The encoder of src/trace against its decoder: literal bytes for each code, and seeded random steps there and back.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { atLength } from '../at-length.js';
import { openTrace } from '../../src/replay/open-trace.js';
import { buildCatalog } from '../../src/trace/catalog-builder.js';
import { unpackColumn, locateColumn } from '../../src/trace/column.js';
import { EventDecoder } from '../../src/trace/event-decoder.js';
import { EventEncoder, type EncodedStep, type EventEntry, type PathStep } from './event-encoder.js';
import { EVENTS, EVENT_FIELDS, hasField } from '../../src/trace/event-table.js';
import { Allocator, EventCode, MarkKind, PATHS_PER_ENTRY, RecordFlag, Sync, Unseen } from '../../src/trace/layout.js';
import { PathTable } from '../../src/trace/path-table.js';
import { TraceError } from '../../src/trace/trace-error.js';
import { writeUnit } from './unit-writer.js';
import { addRegion } from '../drawn/region-builder.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomTraceWithRecords } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';

/** Regions of one record with as many loads; an atomic in place of the last where the count is negative. */
function pathsOf(...words: number[]): PathTable {
  const builder = new UnitBuilder();
  for (const count of words) {
    const slots = Array.from({ length: Math.abs(count) }, (_, index) =>
      builder.slot(count < 0 && index === -count - 1 ? 'atomicUpdate' : 'load'),
    );
    builder.alone('segment', slots);
  }
  return tableOf(builder);
}

function tableOf(builder: UnitBuilder): PathTable {
  return new PathTable(
    buildCatalog([{ number: 0, path: 'm', buildId: '', offset: 0, globals: [], units: writeUnit(builder.unit) }]),
  );
}

function columns(payload: Buffer): number[][] {
  const found: number[][] = [];
  for (let at = 8; at < payload.length; ) {
    const { stored, next } = locateColumn(payload, at, 0);
    found.push([...unpackColumn(stored, 0)]);
    at = next;
  }
  return found;
}

interface DecodedRecord {
  readonly record: number;
  readonly words: readonly bigint[];
  readonly stamped?: PathStep['stamped'];
}

function decode(paths: PathTable, payloads: readonly Buffer[]): (EventEntry | DecodedRecord)[] {
  const decoder = new EventDecoder(paths);
  const steps: (EventEntry | DecodedRecord)[] = [];
  for (const payload of payloads) {
    decoder.load(payload, 0);
    while (decoder.next()) steps.push(currentStep(decoder, paths));
  }
  return steps;
}

/** The events that steps come back as, on paths of one record each, all of whose words are logged. */
function asRecords(steps: readonly EncodedStep[]): (EventEntry | DecodedRecord)[] {
  return steps.map((step) => {
    if (!('path' in step)) return step;
    const { path, ...rest } = step;
    return { record: path / PATHS_PER_ENTRY, ...rest };
  });
}

function currentStep(decoder: EventDecoder, paths: PathTable): EventEntry | DecodedRecord {
  const { events } = decoder;
  if (decoder.isRecord) {
    const words = Array.from(
      { length: decoder.words },
      (_, word) => (BigInt(decoder.hi[word]) << 32n) | BigInt(decoder.lo[word]),
    );
    const isStamped = (paths.catalog.records.flags[decoder.record] & RecordFlag.stamped) !== 0;
    return {
      record: decoder.record,
      words,
      ...(isStamped ? { stamped: { code: events.code, stamp: events.stamp, object: events.address } } : {}),
    };
  }
  const { code, detail } = events;
  const fields = EVENT_FIELDS[code]!.filter((field) => hasField(field, detail));
  return { code, detail, ...Object.fromEntries(fields.map(({ name }) => [name, events[name]])) };
}

describe('literal bytes', () => {
  it('a part has its pool behind its size, a mark its value and its text', () => {
    const steps = [
      { code: EventCode.allocate, detail: Allocator.part, stamp: 0x64n, address: 0x4000n, size: 48n, pool: 0x30 },
      { code: EventCode.mark, detail: MarkKind.phase, stamp: 0x65n, number: 0n, text: 'sort' },
    ];
    const [, , events] = columns(new EventEncoder().encodeChunk(steps));
    expect(events).toEqual([0x72, 0x64, 0x80, 0x80, 0x02, 48, 0x30, 0x1e, 1, 0, 4, ...Buffer.from('sort')]);
    expect(decode(pathsOf(1), [new EventEncoder().encodeChunk(steps)])).toEqual(steps);
  });

  it('a text that is longer than any mark is refused', () => {
    const payload = new EventEncoder().encodeChunk([{ code: EventCode.mark, stamp: 1n, text: 'x'.repeat(121) }]);
    expect(() => decode(pathsOf(1), [payload])).toThrow(TraceError);
  });

  it('a first path: no run, operation 0 with code "zigzag word", the word in the words column', () => {
    expect(columns(new EventEncoder().encodeChunk([{ path: 0, words: [0x1000n] }]))).toEqual([
      [0, 0b10 << 2],
      [0x80, 0x40],
      [],
    ]);
  });

  it('a constant stride is a run', () => {
    const steps = [0x1000n, 0x1008n, 0x1010n, 0x1018n].map((word) => ({ path: 0, words: [word] }));
    // 0x1000 and 0x1008 are said (stride 0x1000, then 8); from 0x1010 on all is predicted.
    expect(columns(new EventEncoder().encodeChunk(steps))).toEqual([[0, 8, 0, 8, 2], [0x80, 0x40, 16], []]);
  });

  it('another path is told by its difference, four or more words by bytes behind it', () => {
    const steps = [
      { path: 0, words: [8n] },
      { path: 2, words: [8n, 8n, 9n, 10n] },
    ];
    // Path 2: words 0 and 1 are new (a zigzag each), linked where the distance fits: word 1 = word 0 + 0, words 2 and 3
    // are new.
    expect(columns(new EventEncoder().encodeChunk(steps))).toEqual([[0, 8, 0, 1, 4, 0b10_10_01_01], [16, 18, 20], []]);
  });

  it(
    'an event has its code and detail in one byte, the stamp minus the last, the address minus the last of that ' +
      'code',
    () => {
      const steps: EncodedStep[] = [
        { code: EventCode.allocate, detail: 1, stamp: 100n, address: 0x40n, size: 24n },
        { code: EventCode.release, detail: Sync.mutex, stamp: 105n, address: 0x40n },
        { code: EventCode.allocate, detail: 1, stamp: 110n, address: 0x30n, size: 8n },
      ];
      expect(columns(new EventEncoder().encodeChunk(steps))).toEqual([
        [0, 2, 0, 2, 0, 2],
        [],
        [0x12, 100, 0x80, 1, 24, 0x14, 5, 0x80, 1, 0x12, 5, 31, 8],
      ]);
    },
  );
});

describe('the worked example of docs/trace-format.md', () => {
  const text = readFileSync('docs/trace-format.md', 'utf8').split('## Worked example')[1].split('## History')[0];
  const rows = text.split('\n').flatMap((line) => {
    const digits = /^ {4} *((?:[0-9a-f]{2} {1,2})*[0-9a-f]{2})(?: {3,}|$)/.exec(line)?.[1];
    return digits === undefined ? [] : [digits];
  });
  const payload = Buffer.from(rows.join('').replaceAll(' ', ''), 'hex');
  const builder = new UnitBuilder();
  const store = builder.record('segment', [builder.slot('store')]);
  const pair = builder.record('segment', [builder.slot('load'), builder.slot('load', { base: 2, delta: 0x10 })]);
  const [branch, join] = [0, 0].map(() => builder.record('segment', [builder.slot('load')]));
  const atomic = builder.record('segment', [builder.slot('atomicUpdate')]);
  addRegion(builder.unit, [{ records: [store] }]);
  addRegion(builder.unit, [{ records: [pair], to: [1, 2] }, { records: [branch], to: [2] }, { records: [join] }]);
  addRegion(builder.unit, [{ records: [atomic] }]);
  const steps: EncodedStep[] = [
    { code: EventCode.time, detail: 0, stamp: 0x3e8n, cpu: 2 },
    ...[0x1000n, 0x1008n, 0x1010n, 0x1018n].map((word) => ({ path: 0, words: [word] })),
    { path: 0x20, words: [0x2000n, 0x5000n, 0x2040n] },
    { path: 0x21, words: [0x2100n, 0x2140n] },
    { path: 0x21, words: [0x2300n, 0x2340n] },
    { path: 0x20, words: [0x2400n, 0x5008n, 0x2440n] },
    { path: 0x40, words: [0x4000n], stamped: { code: EventCode.release, stamp: 0x44cn, object: 0x4000n } },
  ];
  const records: unknown[] = [
    steps[0],
    ...[0x1000n, 0x1008n, 0x1010n, 0x1018n].map((word) => ({ record: store, words: [word] })),
    { record: pair, words: [0x2000n, 0x2010n] },
    { record: branch, words: [0x5000n] },
    { record: join, words: [0x2040n] },
    { record: pair, words: [0x2100n, 0x2110n] },
    { record: join, words: [0x2140n] },
    { record: pair, words: [0x2300n, 0x2310n] },
    { record: join, words: [0x2340n] },
    { record: pair, words: [0x2400n, 0x2410n] },
    { record: branch, words: [0x5008n] },
    { record: join, words: [0x2440n] },
    { record: atomic, words: [0x4000n], stamped: { code: EventCode.release, stamp: 0x44cn, object: 0x4000n } },
  ];

  it('its tables are those of the page: a gap before the join', () => {
    expect(builder.unit.nodes.map((node) => node.firstWord)).toEqual([0, 0, 1, 2, 0]);
    expect(builder.unit.edges).toEqual([
      { node: 1, before: 0 },
      { node: 2, before: 1 },
      { node: 2, before: 0 },
    ]);
  });

  it('its bytes are these records', () => {
    expect(payload).toHaveLength(94);
    expect(decode(tableOf(builder), [payload])).toEqual(records);
  });

  it('these steps are its bytes', () => {
    expect(new EventEncoder().encodeChunk(steps).toString('hex')).toBe(payload.toString('hex'));
  });
});

describe('round trips', () => {
  const lengths = [1, 3, 4, -1, 0, -4, 9];
  const paths = pathsOf(...lengths);

  function randomSteps(random: RandomNumbers, count: number, stamps: { last: bigint }): EncodedStep[] {
    const steps: EncodedStep[] = [];
    const stamp = (): bigint => (stamps.last += BigInt(random.between(1, 1_000_000)));
    const wide = (): bigint =>
      BigInt.asUintN(64, (BigInt(random.below(0x1_0000_0000)) << 32n) | BigInt(random.below(0x1_0000_0000)));
    let words: bigint[] = [];
    let length = 0;
    while (steps.length < count) {
      if (random.chance(15)) {
        const [code, detail] = [random.between(1, Object.keys(EVENTS).length), random.below(16)];
        const isRange = code === EventCode.unseen && detail === Unseen.kernelRange;
        const [at, position, number] = [stamp(), wide(), wide()];
        const [index, variable] = [random.below(100), random.below(100)];
        const values = {
          stamp: at,
          address: isRange ? position & 0xffff_ffff_ffffn : position,
          size: isRange ? number & 0xffffn : number,
          number,
          cpu: index,
          pool: index,
          creator: index,
          unit: index,
          variable,
          text: random.pick(['', 'build', 'größer', 'x'.repeat(120)]),
        };
        const fields = EVENT_FIELDS[code]!.filter((field) => hasField(field, detail));
        steps.push({ code, detail, ...Object.fromEntries(fields.map(({ name }) => [name, values[name]])) });
        continue;
      }
      if (words.length === 0 || random.chance(40)) {
        length = random.below(lengths.length);
        words = Array.from({ length: Math.abs(lengths[length]) }, () =>
          random.chance(50) ? wide() : BigInt(random.below(5000)),
        );
      } else words = words.map((word) => BigInt.asUintN(64, word + BigInt(random.pick([0, 8, -8]))));
      const stamped =
        lengths[length] < 0 ? { stamped: { code: random.pick([4, 5, 6]), stamp: stamp(), object: wide() } } : {};
      steps.push({ path: length * PATHS_PER_ENTRY, words: [...words], ...stamped });
    }
    return steps;
  }

  it.each([1, 2, 3, 4, 5])('random steps over several chunks, seed %i', (seed) => {
    const random = new RandomNumbers(seed);
    const encoder = new EventEncoder();
    const stamps = { last: 1n << 54n };
    const chunks = Array.from({ length: 4 }, () => randomSteps(random, 400, stamps));
    expect(
      decode(
        paths,
        chunks.map((steps) => encoder.encodeChunk(steps)),
      ),
    ).toEqual(asRecords(chunks.flat()));
  });

  it.each(Array.from({ length: atLength(16, 40) }, (_, seed) => seed))(
    'records and words of a random trace, seed %i',
    (seed) => {
      const { trace, records } = randomTraceWithRecords(seed);
      const { threads, catalog, path } = openTrace(traceFile(trace));
      const bytes = readFileSync(path);
      const found = threads.map(({ offset, bytes: sizes }) =>
        decode(
          new PathTable(catalog),
          Array.from(offset, (at, chunk) => bytes.subarray(at, at + sizes[chunk])),
        ),
      );
      expect(
        found.map((steps) =>
          steps.flatMap((step) => ('record' in step ? [{ record: step.record, words: step.words }] : [])),
        ),
      ).toEqual(records);
    },
  );
});

describe('what a damaged EVENTS chunk is told', () => {
  const paths = pathsOf(1, 3);
  const payloadOf = (control: number[], steps: number): Buffer => {
    const column = (bytes: number[]): Buffer =>
      Buffer.from([4 + bytes.length + 1, 0, 0, 0, bytes.length, 0, 0, 0, bytes.length << 4, ...bytes]);
    const empty = Buffer.from([4, 0, 0, 0, 0, 0, 0, 0]);
    return Buffer.concat([Buffer.from([steps, 0, 0, 0, 0, 0, 0, 0]), column(control), empty, empty]);
  };
  const failure = (control: number[], steps: number): unknown => {
    try {
      return decode(paths, [payloadOf(control, steps)]);
    } catch (error) {
      return error;
    }
  };

  it('a run longer than the chunk', () => {
    expect(failure([9], 3)).toMatchObject({ offset: 1, expected: 'at most 3 steps', actual: '9' });
  });

  it('a path that no MODULE chunk has, and one that its region does not have', () => {
    expect(failure([0, 1, 0xc8, 1], 1)).toMatchObject({
      offset: 4,
      expected: 'below 64, as the MODULE chunks have',
      actual: '100',
    });
    expect(failure([0, 1, 66], 1)).toMatchObject({ offset: 3, expected: 'a path of the 1 of region 1', actual: '1' });
  });

  it('a word that is not there', () => {
    expect(failure([0, 8], 1)).toMatchObject({ offset: 0, expected: 'a byte', actual: 'the end of the column' });
  });

  it('an event that is not there, an operation that is not, bytes behind the last step', () => {
    expect(failure([0, 2], 1)).toMatchObject({ expected: 'another entry' });
    expect(failure([0, 3], 1)).toMatchObject({ expected: 'operation 0, 1 or 2', actual: '3' });
    expect(failure([1, 0], 1)).toMatchObject({ offset: 1, expected: 'the end of the column', actual: '1 more bytes' });
    expect(failure([1], 1)).toHaveLength(1);
  });

  it('a column that claims more than a chunk may hold is not unpacked', () => {
    const stored = Buffer.from([0xff, 0xff, 0xff, 0x7f, 0]);
    expect(() => unpackColumn(stored, 77)).toThrow(
      new TraceError('column', 77, `at most ${64 << 20} unpacked bytes`, `${0x7fffffff}`),
    );
  });

  it('stamps that do not rise', () => {
    const encoder = new EventEncoder();
    const payload = encoder.encodeChunk([
      { code: EventCode.blocked, stamp: 7n },
      { code: EventCode.blocked, stamp: 7n },
    ]);
    expect(() => decode(paths, [payload])).toThrow(/expected above 7, found 7/);
  });
});
