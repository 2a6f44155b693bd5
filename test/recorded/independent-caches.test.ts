// A sample of test/real/independent-caches.ts: one example, two geometries, against pycachesim, count for count. Left
// out where that is not installed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { countHere, countIndependently, GEOMETRIES, isSimulatorThere } from '../real/independent-simulator.js';
import { DPROF, DPROF_CC, ROOT, run } from '../real/real-program.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-independent-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isThere = isSimulatorThere();
describe(
  'pycachesim' + `${isThere ? '' : ' (left out: not installed; node dist/test/real/independent-caches.js fetches it)'}`,
  () => {
    test.runIf(isThere)('counts the same hits and misses in three levels', () => {
      const [program, trace] = [join(folder, 'conflict'), join(folder, 'conflict.dptrace')];
      run([DPROF_CC, '-O2', '-g', resolve(ROOT, 'examples/conflict/conflict.c'), '-o', program]);
      run([DPROF, 'record', '-o', trace, '--', program]);
      for (const geometry of GEOMETRIES.slice(0, 2))
        expect(countHere(trace, geometry)).toEqual(countIndependently(trace, geometry));
      expect(countHere(trace, GEOMETRIES[0])[0]).toEqual({ hits: 80_001, misses: 80_000 });
    });
  },
);
