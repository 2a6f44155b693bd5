// Stage: test. How many instructions the native engine takes for a reference: callgrind's file is read by hand here.
// instructions.proof.ts holds programs against bench/instructions.json: the shortest takes a quarter of a minute.
import { expect, test } from 'vitest';
import { readCallgrind } from '../../bench/callgrind.js';
import { worseThan } from '../../bench/kept-instructions.js';

test('instructions are summed by the folder of their source, and libraries apart', () => {
  const text = [
    'positions: line',
    'events: Ir',
    'ob=(1) /build/lib/dprof_engine.node',
    'fl=(1) /dprof/engine/caches/one_core.cpp',
    'fn=(1) dprof::lookUp()',
    '10 100',
    'fi=(2) /usr/include/c++/12/bits/stl_vector.h', // inlined, and nobody's: the function's
    '+3 20',
    'fe=(1)',
    '* 3',
    'fi=(3) /dprof/engine/trace/decoder.h', // inlined from another stage
    '7 5',
    'cob=(2) /lib/libc.so.6',
    'cfi=(4) ./string/memcpy.S',
    'cfn=(2) memcpy',
    'calls=4 1',
    '7 1000', // counted where memcpy is
    '',
    'fl=(5) ???',
    'fn=(3) LZ4_decompress_safe',
    '0 40',
    '',
    'fl=(6) /usr/include/c++/12/bits/vector.tcc',
    'fn=(4) std::vector::grow',
    '-2 2',
    '',
    'ob=(2)',
    'fl=(4)',
    'fn=(2)',
    '1 1000',
    'totals: 1170',
  ].join('\n');
  expect(readCallgrind(text)).toEqual({
    all: 170,
    stages: { decode: 45, 'order, layout': 0, caches: 123, counting: 0, shards: 0, other: 2 },
    libraries: 1000,
  });
});

test('more than 3 % above what is kept is worse, and less never is', () => {
  const kept = { perReference: 100, perMiss: 1000 };
  expect(worseThan(kept, { perReference: 103, perMiss: 10 })).toEqual([]);
  expect(worseThan(kept, { perReference: 104, perMiss: 1031 })).toEqual([
    'perReference: 104.00 Ir, 4.0 % above the 100 that bench/instructions.json keeps',
    'perMiss: 1031.00 Ir, 3.1 % above the 1000 that bench/instructions.json keeps',
  ]);
  expect(worseThan({ perReference: 100 }, { perReference: 100, perMiss: 1031 })).toEqual([]);
});
