import { expect, test } from 'vitest';
import { decodeSamples } from '../../src/hardware/samples/samples-reader.js';
import type { TypedSamples } from '../../src/hardware/samples/typed-samples.js';
import { drawTypedSamples } from './drawn-samples.js';
import { writeTyped } from './written-samples.js';

const drawn = (): TypedSamples =>
  drawTypedSamples({
    types: [
      {
        name: 'struct packet',
        fields: [
          { path: 'lock', offset: 0, bytes: 4 },
          { path: 'bytes', offset: 8, bytes: 8 },
        ],
      },
    ],
    rows: [
      { what: 'struct packet.bytes', at: 'send net.c:12', op: 'store', from: 'unknown', samples: 3 },
      { what: 'struct packet.lock', at: 'take net.c:4', from: 'other-cache', cpu: 1, samples: 40, latency: 300 },
      { what: '', at: 'take net.c:4', samples: 2 },
    ],
    objects: [{ type: 'struct packet', address: 0x5000, born: 2000, died: 9000, at: 'make net.c:1', samples: 3 }],
  });

test('typed samples come back from their file as they were', () => {
  const typed = drawn();
  const opened = decodeSamples(writeTyped(typed));
  expect(opened.rows).toBe(0);
  const { blocks, ...back } = opened.typed() as TypedSamples & { blocks?: unknown };
  expect(blocks).toBeUndefined();
  expect(back).toEqual({ ...typed });
});

test('what does not add up is refused', () => {
  const typed = drawn();
  typed.rows.samples[0]++;
  expect(() => decodeSamples(writeTyped(typed)).typed()).toThrow(
    /samples of event 0 at offset \d+: expected 2|samples of event \d at offset/,
  );
  const beyond = drawn();
  beyond.rows.place[0] = 99;
  expect(() => decodeSamples(writeTyped(beyond)).typed()).toThrow(
    /typed place at offset \d+: expected below \d+, found 0/,
  );
});

test('tables whose numbers are none are refused', () => {
  const mapping = {
    time: '0',
    pid: 1,
    start: '0x1000',
    bytes: '0x1000',
    fileOffset: '0x0',
    file: '/a',
    buildId: 'ab',
    isExecutable: true,
    isKernel: false,
  };
  expect(() => decodeSamples(writeTyped(drawn(), [mapping]))).not.toThrow();
  for (const wrong of [
    { start: '4096' },
    { start: undefined },
    { bytes: '0xffffffffffffffff0' },
    { time: '-1' },
    { pid: 'one' },
    { buildId: 'xy' },
    { file: 3 },
  ]) {
    expect(() => decodeSamples(writeTyped(drawn(), [{ ...mapping, ...wrong } as typeof mapping]))).toThrow(
      /mapping at offset \d+: expected a time, a process, addresses, a file and a build id/,
    );
  }
});
