// The native engine's answer to traces that changed under it and to machines that cannot be: a typed error, never a
// crash.

import { truncateSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DprofError } from '../../src/base/dprof-error.js';
import type { ReplayInput } from '../../src/contract/input.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import { TraceError } from '../../src/trace/trace-error.js';
import { replayNatively } from './replay-natively.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';

const LOGICAL = { kind: 'logical' } as const;

function failure(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('a trace that changes after it was opened', () => {
  test('a file cut short names the place where it ends', () => {
    const path = traceFile(randomTrace(1));
    const trace = openTrace(path);
    const cut = trace.threads[0].offset[0] + 3;
    truncateSync(path, cut);
    const error = failure(() => replayNatively(replayInput(trace, randomMachine(1), LOGICAL)));
    expect(error).toBeInstanceOf(TraceError);
    expect(error).toMatchObject({ offset: cut, expected: '5 more bytes', actual: "the file's end" });
  });

  test('a column that claims more bytes than its chunk has is refused', () => {
    const path = traceFile(randomTrace(1));
    const trace = openTrace(path);
    const bytes = readFileSync(path);
    const column = trace.threads[0].offset[0] + 8;
    bytes.writeUInt32LE(0x7fffffff, column);
    writeFileSync(path, bytes);
    const error = failure(() => replayNatively(replayInput(trace, randomMachine(1), LOGICAL)));
    expect(error).toBeInstanceOf(TraceError);
    expect(error).toMatchObject({
      offset: column,
      expected: `4 to ${trace.threads[0].bytes[0] - 12} bytes`,
      actual: '2147483647',
    });
  });

  test('flipped bytes anywhere in the events end in a typed error or in a result', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const path = traceFile(randomTrace(seed, { actions: 60 }));
      const trace = openTrace(path);
      const bytes = readFileSync(path);
      const thread = trace.threads[seed % trace.threads.length];
      if (thread.offset.length === 0) continue;
      const at = thread.offset[0] + ((seed * 7919) % thread.bytes[0]);
      bytes[at] ^= 1 << (seed % 8);
      writeFileSync(path, bytes);
      const error = failure(() => replayNatively(replayInput(trace, randomMachine(seed), LOGICAL)));
      if (error !== undefined) expect(error, `seed ${seed}: ${String(error)}`).toBeInstanceOf(DprofError);
    }
  });
});

describe('a machine that cannot be', () => {
  test.each([
    [
      'sets that are no whole number',
      { l1: { sizeBytes: 3 * 64 * 4, ways: 8, latencyCycles: 4 } },
      'l1.sizeBytes must be a whole number of sets',
    ],
    ['no cores', { cores: 0 }, 'cores must be a whole number from 1 to 64'],
    ['a line of 48 bytes', { lineBytes: 48 }, 'lineBytes must be a power of two'],
  ])('%s is refused', (_, change, message) => {
    const trace = openTrace(traceFile(randomTrace(1, { actions: 5 })));
    const machine = { ...randomMachine(1), lineBytes: 64, ...change };
    const error = failure(() => replayNatively(replayInput(trace, machine, LOGICAL)));
    expect(error).toBeInstanceOf(DprofError);
    expect(String(error)).toContain(message);
  });
});

describe('globals whose end no program can have', () => {
  const trace = openTrace(traceFile(randomTrace(1)));
  const withGlobal = (address: bigint): ReplayInput => {
    const { globals } = trace.catalog;
    return replayInput(
      {
        ...trace,
        catalog: {
          ...trace.catalog,
          globals: { ...globals, address: globals.address.map((own, index) => (index === 0 ? address : own)) },
        },
      },
      randomMachine(1),
      LOGICAL,
    );
  };

  test.each([0x90df_1f01_0000_4090n, 1n << 53n, (1n << 53n) - 1n, (1n << 64n) - 1n])(
    'both engines refuse one at %x',
    (address) => {
      const said = {
        message: expect.stringContaining('address of a global at offset 0: expected an end below 2^53'),
        expected: 'an end below 2^53',
        actual: `0x${address.toString(16)}`,
      };
      expect(trace.catalog.variables.sizeBytes[trace.catalog.globals.variable[0]]).toBeGreaterThan(0);
      for (const engine of [replayNatively, simulate]) {
        const error = failure(() => engine(withGlobal(address)));
        expect(error).toBeInstanceOf(TraceError);
        expect(error).toMatchObject(said);
      }
    },
  );
});
