// Recordings and files of samples with something wrong in them: cut at every byte of what is before and behind the
// data, every byte of it changed, and changed anywhere by seed. Each is a result or one typed error with its place, in
// bounded time and memory. DPROF_DAMAGED_SEEDS asks for more.

import { describe, expect, test } from 'vitest';
import { bytesOfBuffer } from '../../src/profile/byte-source.js';
import { readSamples } from '../../src/hardware/import/import-samples.js';
import { parseScriptFields } from '../../src/hardware/import/perf-script-text.js';
import { decodeSamples } from '../../src/hardware/samples/samples-reader.js';
import { SamplesWriter } from '../../src/hardware/samples/samples-writer.js';
import { atLength } from '../at-length.js';
import { mutate } from '../fuzz/damage.js';
import { attempt } from '../fuzz/damaged-files.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { constructIbs, constructPebs, constructSpe } from './constructed.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_DAMAGED_SEEDS ?? atLength(120, 600));
const SAMPLES = 24;

const recordings: Readonly<Record<string, Buffer>> = {
  PEBS: constructPebs({ samples: SAMPLES, moreFields: 0x10 | 0x20 | 0x800 | 0x1000 | 0x2000 }),
  'PEBS, big-endian': constructPebs({ samples: SAMPLES, isLittle: false }),
  'PEBS, from a pipe': constructPebs({ samples: SAMPLES, isPipe: true }),
  'PEBS, compressed': constructPebs({ samples: SAMPLES, isCompressed: true }),
  IBS: constructIbs({ samples: SAMPLES }),
  SPE: constructSpe({ samples: SAMPLES }),
};

function read(recording: Buffer): () => void {
  return () => void readSamples(bytesOfBuffer(recording), () => {});
}

/** Everything before and behind the data; in a pipe's recording, the records that describe them. */
function headersOf(recording: Buffer, isPipe: boolean): { begin: number; end: number } {
  if (isPipe) return { begin: 1200, end: recording.length };
  const number = (at: number): number =>
    Number(
      recording.toString('latin1', 0, 8) === 'PERFILE2' ? recording.readBigUInt64LE(at) : recording.readBigUInt64BE(at),
    );
  return { begin: number(40) + 200, end: number(40) + number(48) };
}

function fileOf(recording: Buffer): Buffer {
  const parts: Buffer[] = [];
  const writer = new SamplesWriter({ write: (part) => void parts.push(Buffer.from(part)) });
  writer.finish(readSamples(bytesOfBuffer(recording), (columns, rows) => writer.add(columns, rows)));
  return Buffer.concat(parts);
}

describe.each(Object.entries(recordings))('%s', (name, recording) => {
  const isPipe = name.includes('pipe');
  const { begin, end } = headersOf(recording, isPipe);
  const places = [...Array(begin).keys(), ...Array.from({ length: recording.length - end }, (_, index) => end + index)];

  test(`cut at every byte of its headers${isPipe ? '' : ': refused'}`, () => {
    for (const place of places) {
      const isRefused = attempt(`cut at ${place}`, read(recording.subarray(0, place)));
      // A pipe may end behind any record.
      if (!isPipe) expect(isRefused, `cut at ${place}`).toBe(true);
    }
  });

  // The sample: every byte of one of them, and of the others every fourth, each another one.
  const at = Object.keys(recordings).indexOf(name);
  const changed = atLength(
    places.filter((place) => at === 0 || place % 4 === at % 4),
    places,
  );
  test(`${changed.length} bytes of its headers changed, one at a time`, () => {
    for (const place of changed) {
      for (const value of [recording[place] ^ 1, recording[place] ^ 0x80]) {
        const damaged = Buffer.from(recording);
        damaged[place] = value;
        attempt(`byte ${place} is ${value}`, read(damaged));
      }
    }
  });

  test(`${SEEDS} times changed anywhere`, () => {
    let refused = 0;
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++)
      if (attempt(`seed ${seed}`, read(mutate(recording, new RandomNumbers(seed))))) refused++;
    expect(refused).toBeGreaterThan(SEEDS / 10);
  });
});

test(`perf script's text, ${SEEDS} times changed`, () => {
  const line =
    '     a worker  4000/4001  [001]     5.000002583:      20000 cpu/mem-loads,ldlat=30/P:     7f00cc102cb0    ' +
    '123669408042 |OP LOAD|LVL Any cache hit|SNP Miss|TLB L1 or L2 hit|LCK              533           46e025\n';
  const text = Buffer.from(line.repeat(30));
  const fields = parseScriptFields('comm,pid,tid,cpu,time,period,event,addr,data_src,weight,ip');
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++)
    attempt(
      `seed ${seed}`,
      () => void readSamples(bytesOfBuffer(mutate(text, new RandomNumbers(seed))), () => {}, { fields }),
    );
});

test('a file of samples, cut and changed at every byte: refused', () => {
  const file = fileOf(constructIbs({ samples: SAMPLES }));
  const readAll = (bytes: Buffer) => (): void => {
    for (const chunk of decodeSamples(bytes).chunks()) expect(chunk.rows).toBeGreaterThan(0);
  };
  readAll(file)();
  for (let place = 0; place < file.length; place++) {
    expect(attempt(`cut at ${place}`, readAll(file.subarray(0, place))), `cut at ${place}`).toBe(true);
    const changed = Buffer.from(file);
    changed[place] ^= 1;
    // Bytes 12 to 15 of the header are covered by the trailer's checksum too.
    expect(attempt(`byte ${place}`, readAll(changed)), `byte ${place}`).toBe(true);
  }
});
