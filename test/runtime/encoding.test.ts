// The encoder, byte for byte as docs/trace-format.md shows, and back through a reader that was written from that page alone.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeChunks, type PlainStep } from './plain-reader.js';
import { root, Workbench } from './workbench.js';

const bench = new Workbench();
let encoder: string;
beforeAll(() => {
  const recorder = ['thread_encoder', 'record_table', 'bytes'].map((name) => join(root, `runtime/recorder/${name}.cc`));
  encoder = bench.compile('encode.cc', { flags: [bench.compileObject('unit.c'), ...recorder, '-llz4'] });
});
afterAll(() => bench.clean());

const records = [1, 2, 5, 2, 0].map((words, i) => ({ words, codedWords: i === 3 ? 1 : words }));

function encode(lines: readonly string[], piece = 1000): Buffer[] {
  const { status, stdout } = bench.run([encoder, String(piece)], {}, lines.join('\n') + '\n');
  expect(status).toBe(0);
  return stdout.trim().split('\n').map((line) => Buffer.from(line, 'hex'));
}

const example = ['e 1 0 3e8 2', 'r 0 1000', 'r 0 1008', 'r 0 1010', 'r 0 1018', 'r 1 2000 2010', 'r 1 3000 3010', 'r 3 4000 44c'];
const exampleBytes =
  '08000000 02000000' +
  '13000000 0e000000 e0  0002 0008 0008 022902 0018 000904' +
  '13000000 0e000000 e0  8040 10 808001 a08001 8040 808002' +
  '0e000000 09000000 90  01e80702 9464808002';

describe('the worked example', () => {
  test('is what the encoder writes', () => {
    expect(encode(example).map((chunk) => chunk.toString('hex'))).toEqual([exampleBytes.replaceAll(' ', '')]);
  });

  test('stands in the page', () => {
    const page = readFileSync(join(root, 'docs/trace-format.md'), 'utf8');
    const block = page.slice(page.indexOf('The payload of the EVENTS chunk'), page.indexOf('`test/runtime/encoding.test.ts`'));
    const bytes = block.split('\n').filter((line) => line.startsWith('    ')).flatMap((line) => /^ +((?:[0-9a-f]{2} +)*[0-9a-f]{2}(?= {2,}))/.exec(line)![1].match(/[0-9a-f]{2}/g)!);
    expect(bytes.join('')).toBe(exampleBytes.replaceAll(' ', ''));
  });
});

test('a repeated segment costs nothing but its count', () => {
  const lines = Array.from({ length: 1000 }, (_, i) => `r 1 ${(0x1000 + 8 * i).toString(16)} ${(0x9000 + 16 * i).toString(16)}`);
  const [chunk] = encode(lines);
  // run 0, another record with two explicit words; run 0, predicted with an explicit and a "stride"-less word; then one run of 998.
  const control = chunk.subarray(17, 17 + chunk.readUInt32LE(12));
  expect(control.toString('hex')).toBe('00290200' + '28' + 'e607');
});

test('a stamp that does not rise is moved behind the one before it', () => {
  const steps = decodeChunks(encode(['e 4 1 64 10', 'e 5 1 32 10', 'r 3 4000 64', 'chunk', 'e 9 0 1']), records);
  expect(steps.map((step) => ('event' in step ? step.event.stamp : step.stamp))).toEqual([100n, 101n, 102n, 103n]);
});

describe('random steps come back as they were', () => {
  const seeds = [1, 2, 3, 4, 5, 6];
  test.each(seeds)('seed %i', (seed) => {
    let state = seed * 2654435761;
    const random = (n: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    const hex = (): string => {
      const kind = random(6);
      if (kind === 0) return (BigInt(random(2 ** 31)) * 0x1_0000_0001n + BigInt(random(3))).toString(16);
      if (kind === 1) return (2n ** 64n - 1n - BigInt(random(200))).toString(16);
      return (0x5555_0000_0000n + BigInt(random(40) * 8)).toString(16);
    };
    let stamp = 5n;
    const nextStamp = (): string => (stamp += BigInt(1 + random(10 ** random(9)))).toString(16);
    const lines: string[] = [];
    const expected: PlainStep[] = [];
    let walker = 0x2000n;
    for (let i = 0; i < 3000; i++) {
      const choice = random(12);
      if (choice === 0) {
        lines.push('chunk');
      } else if (choice === 1) {
        const fields = [nextStamp(), hex(), random(5000).toString(16)];
        lines.push(`e 2 ${(1 + random(5)).toString(16)} ${fields.join(' ')}`);
        expected.push({ event: { name: 'ALLOCATE', detail: Number(lines.at(-1)!.split(' ')[2]), stamp, fields: [BigInt(`0x${fields[1]}`), BigInt(`0x${fields[2]}`)] } });
      } else if (choice === 2) {
        const bytes = random(1e6);
        lines.push(`e a 3 ${bytes.toString(16)}`);
        expected.push({ event: { name: 'UNSEEN', detail: 3, fields: [BigInt(bytes)] } });
      } else {
        const record = choice < 8 ? 2 : random(5);
        const coded = records[record].codedWords;
        const words = Array.from({ length: coded }, (_, w) => (choice < 8 && random(8) ? ((walker += 8n) + BigInt(w)).toString(16) : hex()));
        if (record === 3) {
          lines.push(`r 3 ${words[0]} ${nextStamp()}`);
          expected.push({ record, words: [BigInt(`0x${words[0]}`)], stamp });
        } else {
          lines.push(`r ${record} ${words.join(' ')}`);
          expected.push({ record, words: words.map((word) => BigInt(`0x${word}`)) });
        }
      }
    }
    expect(decodeChunks(encode(lines, 1 + seed * 37), records)).toEqual(expected);
  });
});
