// Stage: test. An instrumented program prints what the plain one prints and ends as it does, dormant and recorded, at
// -O0 and -O2.
import { existsSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildExample, EXAMPLES, record, run, workFolder } from './example-program.js';

describe.each(EXAMPLES)('%s', (name) => {
  test.each(['-O0', '-O2'])('behaves the same at %s', (level) => {
    const folder = workFolder(`same-behaviour-${name}`);
    const flags = name === 'matmul-160' ? [level, '-DN=40'] : [level];
    const trace = `${folder}/run${level}.dptrace`;
    rmSync(trace, { force: true });
    const plain = run([buildExample(name, 'clang', flags, folder)]);
    const instrumented = buildExample(name, 'dprof', flags, folder);
    expect(plain).toMatchObject({ status: 0, stdout: expect.stringMatching(/\d/) });
    expect(run([instrumented])).toEqual(plain);
    expect(existsSync(trace)).toBe(false);
    expect(record(trace, [instrumented])).toEqual(plain);
    expect(existsSync(trace)).toBe(true);
  });
});
