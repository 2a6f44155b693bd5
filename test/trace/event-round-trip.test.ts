// The encoder of src/trace against its decoder: literal bytes for each code, and seeded random steps there and back.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unpackColumn, locateColumn } from '../../src/trace/column.js';
import { EventDecoder } from '../../src/trace/event-decoder.js';
import { EventEncoder, type EncodedStep } from '../../src/trace/event-encoder.js';
import { EventCode, RecordFlag, Sync } from '../../src/trace/layout.js';
import type { RecordTable } from '../../src/trace/catalog.js';
import { TraceError } from '../../src/trace/trace-error.js';
import { RandomNumbers } from '../random/random-numbers.js';

/** Records of these many words; STAMPED where negative, the stamp included. */
function recordsOf(...words: number[]): RecordTable {
  const column = (): Uint32Array => new Uint32Array(words.length);
  return {
    count: words.length, tag: Uint8Array.from(words, () => 1), flags: Uint8Array.from(words, (count) => (count < 0 ? RecordFlag.stamped : 0)),
    slotCount: new Uint16Array(words.length), words: Uint32Array.from(words, Math.abs), instructions: column(), function: column(), firstSlot: column(),
  };
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

function decode(records: RecordTable, payloads: readonly Buffer[]): EncodedStep[] {
  const decoder = new EventDecoder(records);
  const steps: EncodedStep[] = [];
  for (const payload of payloads) {
    decoder.load(payload, 0);
    while (decoder.next()) steps.push(currentStep(decoder, records));
  }
  return steps;
}

function currentStep(decoder: EventDecoder, records: RecordTable): EncodedStep {
  const { events } = decoder;
  if (decoder.isRecord) {
    const words = Array.from({ length: decoder.words }, (_, word) => (BigInt(decoder.hi[word]) << 32n) | BigInt(decoder.lo[word]));
    const isStamped = (records.flags[decoder.record] & RecordFlag.stamped) !== 0;
    return { record: decoder.record, words, ...(isStamped ? { stamped: { code: events.code, stamp: events.stamp, object: events.address } } : {}) };
  }
  const { code, detail, stamp, address, value, first, second } = events;
  switch (code) {
    case EventCode.time:
      return { code, detail, stamp, first };
    case EventCode.allocate:
    case EventCode.free:
    case EventCode.threadEnd:
      return { code, detail, stamp, address, value };
    case EventCode.threadStart:
      return { code, detail, stamp, first, address, value };
    case EventCode.blocked:
      return { code, detail, stamp };
    case EventCode.unseen:
    case EventCode.lost:
    case EventCode.signal:
      return { code, detail, value };
    case EventCode.threadLocal:
      return { code, detail, first, second, address };
    default:
      return { code, detail, stamp, address };
  }
}

describe('literal bytes', () => {
  it('a first record: no run, operation 0 with code "zigzag word", the word in the words column', () => {
    expect(columns(new EventEncoder().encodeChunk([{ record: 0, words: [0x1000n] }]))).toEqual([[0, 0b10 << 2], [0x80, 0x40], []]);
  });

  it('a constant stride is a run', () => {
    const steps = [0x1000n, 0x1008n, 0x1010n, 0x1018n].map((word) => ({ record: 0, words: [word] }));
    // 0x1000 and 0x1008 are said (stride 0x1000, then 8); from 0x1010 on all is predicted.
    expect(columns(new EventEncoder().encodeChunk(steps))).toEqual([[0, 8, 0, 8, 2], [0x80, 0x40, 16], []]);
  });

  it('another record is told by its difference, four or more words by bytes behind it', () => {
    const steps = [{ record: 0, words: [8n] }, { record: 2, words: [8n, 8n, 9n, 10n] }];
    // Record 2: words 0 and 1 are new (a zigzag each), linked where the distance fits: word 1 = word 0 + 0, words 2 and 3 are new.
    expect(columns(new EventEncoder().encodeChunk(steps))).toEqual([[0, 8, 0, 1, 4, 0b10_10_01_01], [16, 18, 20], []]);
  });

  it('an event has its code and detail in one byte, the stamp minus the last, the address minus the last of that code', () => {
    const steps: EncodedStep[] = [
      { code: EventCode.allocate, detail: 1, stamp: 100n, address: 0x40n, value: 24n },
      { code: EventCode.release, detail: Sync.mutex, stamp: 105n, address: 0x40n },
      { code: EventCode.allocate, detail: 1, stamp: 110n, address: 0x30n, value: 8n },
    ];
    expect(columns(new EventEncoder().encodeChunk(steps))).toEqual([[0, 2, 0, 2, 0, 2], [], [0x12, 100, 0x80, 1, 24, 0x14, 5, 0x80, 1, 0x12, 5, 31, 8]]);
  });
});

describe('the worked example of docs/trace-format.md', () => {
  const text = readFileSync('docs/trace-format.md', 'utf8').split('## Worked example')[1].split('## History')[0];
  const rows = text.split('\n').flatMap((line) => {
    const digits = /^ {4} *((?:[0-9a-f]{2} {1,2})*[0-9a-f]{2})(?: {3,}|$)/.exec(line)?.[1];
    return digits === undefined ? [] : [digits];
  });
  const payload = Buffer.from(rows.join('').replaceAll(' ', ''), 'hex');
  const records = recordsOf(1, 2, 0, -2);
  const steps: EncodedStep[] = [
    { code: EventCode.time, detail: 0, stamp: 0x3e8n, first: 2 },
    ...[0x1000n, 0x1008n, 0x1010n, 0x1018n].map((word) => ({ record: 0, words: [word] })),
    { record: 1, words: [0x2000n, 0x2010n] },
    { record: 1, words: [0x3000n, 0x3010n] },
    { record: 3, words: [0x4000n], stamped: { code: EventCode.release, stamp: 0x44cn, object: 0x4000n } },
  ];

  it('its bytes are these steps', () => {
    expect(payload).toHaveLength(72);
    expect(decode(records, [payload])).toEqual(steps);
  });

  it('these steps are its bytes', () => {
    expect(new EventEncoder().encodeChunk(steps).toString('hex')).toBe(payload.toString('hex'));
  });
});

describe('round trips', () => {
  const records = recordsOf(1, 3, 4, -2, 0, -5, 9);

  function randomSteps(random: RandomNumbers, count: number, stamps: { last: bigint }): EncodedStep[] {
    const steps: EncodedStep[] = [];
    const stamp = (): bigint => (stamps.last += BigInt(random.between(1, 1_000_000)));
    const wide = (): bigint => BigInt.asUintN(64, (BigInt(random.below(0x1_0000_0000)) << 32n) | BigInt(random.below(0x1_0000_0000)));
    let words: bigint[] = [];
    let record = 0;
    while (steps.length < count) {
      if (random.chance(15)) {
        const code = random.between(1, 13);
        const full = { code, detail: random.below(16), stamp: stamp(), address: wide(), value: wide(), first: random.below(100), second: random.below(100) };
        const keep = ({ stamp: s, address: a, value: v, first: f, second: g, ...rest }: typeof full): EncodedStep => {
          if (code === EventCode.time) return { ...rest, stamp: s, first: f };
          if (code === EventCode.threadStart) return { ...rest, stamp: s, first: f, address: a, value: v };
          if (code === EventCode.allocate || code === EventCode.free || code === EventCode.threadEnd) return { ...rest, stamp: s, address: a, value: v };
          if (code === EventCode.blocked) return { ...rest, stamp: s };
          if (code === EventCode.threadLocal) return { ...rest, first: f, second: g, address: a };
          if (code === EventCode.unseen || code === EventCode.lost || code === EventCode.signal) return { ...rest, value: v };
          return { ...rest, stamp: s, address: a };
        };
        steps.push(keep(full));
        continue;
      }
      if (words.length === 0 || random.chance(40)) {
        record = random.below(records.count);
        words = Array.from({ length: records.words[record] - (records.flags[record] !== 0 ? 1 : 0) }, () => (random.chance(50) ? wide() : BigInt(random.below(5000))));
      } else words = words.map((word) => BigInt.asUintN(64, word + BigInt(random.pick([0, 8, -8]))));
      const stamped = records.flags[record] !== 0 ? { stamped: { code: random.pick([4, 5, 6]), stamp: stamp(), object: wide() } } : {};
      steps.push({ record, words: [...words], ...stamped });
    }
    return steps;
  }

  it.each([1, 2, 3, 4, 5])('random steps over several chunks, seed %i', (seed) => {
    const random = new RandomNumbers(seed);
    const encoder = new EventEncoder();
    const stamps = { last: 1n << 54n };
    const chunks = Array.from({ length: 4 }, () => randomSteps(random, 400, stamps));
    expect(decode(records, chunks.map((steps) => encoder.encodeChunk(steps)))).toEqual(chunks.flat());
  });
});

describe('what a damaged EVENTS chunk is told', () => {
  const records = recordsOf(1, 3);
  const payloadOf = (control: number[], steps: number): Buffer => {
    const column = (bytes: number[]): Buffer => Buffer.from([4 + bytes.length + 1, 0, 0, 0, bytes.length, 0, 0, 0, bytes.length << 4, ...bytes]);
    const empty = Buffer.from([4, 0, 0, 0, 0, 0, 0, 0]);
    return Buffer.concat([Buffer.from([steps, 0, 0, 0, 0, 0, 0, 0]), column(control), empty, empty]);
  };
  const failure = (control: number[], steps: number): unknown => {
    try {
      return decode(records, [payloadOf(control, steps)]);
    } catch (error) {
      return error;
    }
  };

  it('a run longer than the chunk', () => {
    expect(failure([9], 3)).toMatchObject({ offset: 1, expected: 'at most 3 steps', actual: '9' });
  });

  it('a record that no MODULE chunk has', () => {
    expect(failure([0, 1, 40], 1)).toMatchObject({ offset: 3, expected: 'below 2', actual: '20' });
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
    expect(() => unpackColumn(stored, 77)).toThrow(new TraceError('column', 77, `at most ${64 << 20} unpacked bytes`, `${0x7fffffff}`));
  });

  it('stamps that do not rise', () => {
    const encoder = new EventEncoder();
    const payload = encoder.encodeChunk([{ code: EventCode.blocked, stamp: 7n }, { code: EventCode.blocked, stamp: 7n }]);
    expect(() => decode(records, [payload])).toThrow(/expected above 7, found 7/);
  });
});
