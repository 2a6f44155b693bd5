// Stage: test. Allocators that put something before what they hand out: their objects are watched where they lie, or,
// where nobody can know that, not at all.

import { expect, test } from 'vitest';
import { build, describe, REGISTERS_ARE_DENIED, takeHistories, type Seen } from './history-programs.js';

const ACCESSES = ['0 id fill own', '8 value fill own', '8 value look own'];
/** By where they are allocated: offsets of the item from what malloc returned. */
const PLACES: Readonly<Record<string, number>> = { use_size: 8, use_header: 64, use_zero: 8, make_item: 16 };

const LEVELS = ['-O0', '-O1', '-O2', '-O3'];

function placesOf(compiler: 'clang' | 'gcc' | 'dprof-cc', level: string, extra: string) {
  const { histories, stdout } = takeHistories(
    ['--type', 'struct item', '--field', 'id', '--field', 'value', '--one-in', '1'],
    build('headers.c', compiler, level),
    extra,
  );
  expect(stdout).toBe('210\n');
  const seen = describe(histories).map((each, row): Seen & { readonly at: number } => ({
    ...each,
    at: histories.rows.element[row],
  }));
  return {
    seen,
    end: histories.end!,
    places: Object.fromEntries(seen.map(({ allocatedIn, at }) => [allocatedIn, at])),
  };
}

test
  .skipIf(REGISTERS_ARE_DENIED)
  .each((['clang', 'gcc'] as const).flatMap((compiler) => LEVELS.map((level) => [compiler, level] as const)))(
  '%s %s: each item is watched where its allocator put it',
  (compiler, level) => {
    // As large as what was allocated, it can only lie at its beginning, whoever hands it out.
    const exact = placesOf(compiler, level, '0');
    expect(exact.places).toEqual({ ...PLACES, use_noted: 0 });
    for (const { allocatedIn, accesses, ending } of exact.seen) {
      const zeroed = allocatedIn === 'use_zero' ? accesses.slice(0, accesses.length - ACCESSES.length) : [];
      expect([allocatedIn, ending, accesses.slice(zeroed.length)]).toEqual([allocatedIn, 'free', ACCESSES]);
      expect(zeroed.filter((access) => !/^(0 id|8 value) \S*(memset|zero_allocate)\S* own$/.test(access))).toEqual([]);
    }
    // Both of aligned and either: no one place is that of all.
    expect(exact.end.types[0]).toMatchObject({ allocations: 14, misplaced: 4, histories: 10 });

    const larger = placesOf(compiler, level, '24');
    expect(larger.places).toEqual(PLACES);
    expect(larger.end.types[0]).toMatchObject({ allocations: 14, misplaced: 6, histories: 8 });
  },
);

test.skipIf(REGISTERS_ARE_DENIED)('an array is what is said to be one: of others the first is watched', () => {
  const { histories } = takeHistories(
    ['--type', 'struct item', '--one-in', '1', '--field', 'id'],
    build('headers.c', 'gcc', '-O0'),
    '0',
    'arrays',
  );
  const seen = describe(histories).map(({ allocatedIn, accesses }, row) => [
    allocatedIn,
    histories.rows.element[row],
    ...accesses,
  ]);
  expect(seen.filter(([by]) => by === 'use_plain')).toEqual(
    Array.from({ length: 4 }, () => ['use_plain', 0, '0 id fill own']),
  );
  expect(seen.filter(([by]) => by === 'use_counted')).toEqual(
    [0, 64, 64, 96].map((element) => ['use_counted', element, '0 id fill own']),
  );
});
