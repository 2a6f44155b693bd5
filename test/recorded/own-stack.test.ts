// Stage: test. -fdprof-locals: variables on a stack that lies in an object of the program's own.
import { describe, expect, it } from 'vitest';
import { build, record, report } from './recorded.js';

/** "type kind" of the objects that had the references to `counts`: 1,001 loads, 1,000 stores and the clearing one. */
function ownersOfCounts(flags: readonly string[], engine: string): string[] {
  return report(record(build('own-stack.c', ['-fno-vectorize', ...flags])), 'address-set', '--engine', engine)
    .rows.filter(({ references }) => references >= 2002)
    .map(({ type, kind }) => `${type} ${kind}`);
}

describe.each(['native', 'ts'])('%s', (engine) => {
  it('a local variable is an object of its own', () => {
    expect(ownersOfCounts(['-O1', '-fdprof-locals'], engine)).toEqual(['long[] stack']);
  });

  it('without it, the array has the bytes', () => {
    expect(ownersOfCounts(['-O1'], engine)).toEqual(['char[] global']);
  });
});
