// Threads that meet over descriptors: one end of a pair releases, the other acquires.

import { afterAll, expect, test } from 'vitest';
import { readPlain, stepLines } from './plain-reader.js';
import { Workbench } from './workbench.js';

const bench = new Workbench();
afterAll(() => bench.clean());

test('the two ends of a socket pair are one object, and the C library’s eventfd functions are seen', () => {
  const { status, trace } = bench.record('meeting.dptrace', [bench.compile('meeting.c')]);
  expect(status).toBe(0);
  const lines = stepLines(readPlain(trace).threads.get(0)!).filter((line) =>
    /^(RELEASE:8|ACQUIRE:8|UNSEEN:4)/.test(line),
  );
  const objects = [...new Set(lines.flatMap((line) => /:8 (\S+)/.exec(line)?.[1] ?? []))];
  expect(
    lines.map((line) =>
      line
        .replace(/^(UNSEEN:4 \d+) .*/, '$1')
        .replace(/:8 (\S+)/, (_, object: string) => ` ${'PQE'[objects.indexOf(object)]}`),
    ),
  ).toEqual([
    'RELEASE P',
    'ACQUIRE P',
    'UNSEEN:4 3',
    'RELEASE P',
    'ACQUIRE P',
    'UNSEEN:4 1',
    'RELEASE Q',
    'ACQUIRE Q',
    'UNSEEN:4 2',
    'RELEASE E',
    'ACQUIRE E',
    'UNSEEN:4 8',
  ]);
});
