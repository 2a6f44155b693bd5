// Stage: test. Each program of bench/instructions.json is recorded anew and replayed under callgrind: a reference and a
// miss take at most 3 % more of the native engine's instructions than when they were kept.
// `DPROF_BENCH_KEEP=1 npm run bench -- instructions` keeps them anew.
import { describe, expect, test } from 'vitest';
import { costOf, hasAvx2, hasCallgrind } from '../../bench/callgrind.js';
import { compilerOfEngine, isHeld, readKept, recordAlike, worseThan } from '../../bench/kept-instructions.js';
import { folder, workloads } from '../../bench/workloads.js';

const isThere = hasCallgrind && hasAvx2;
const kept = readKept();
const programs = workloads.filter(({ name }) => name in kept.programs);

test('what is kept is of programs of the bench that have one thread', () => {
  const held = workloads.filter(({ name }) => isHeld(name)).map(({ name }) => name);
  expect(held).toEqual(expect.arrayContaining(Object.keys(kept.programs)));
});

describe(`the engine's instructions${isThere ? '' : ' (left out: valgrind or AVX2 is missing)'}`, () => {
  test.runIf(isThere).each(programs)('$name', (program) => {
    const worse = worseThan(kept.programs[program.name], costOf(recordAlike(program, folder), folder));
    expect(worse, `kept of ${kept.compiler}; this is ${compilerOfEngine()}`).toEqual([]);
  });
});
