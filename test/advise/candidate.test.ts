import { expect, test } from 'vitest';
import { subjectsOf } from '../../src/advise/candidate.js';

test('options name what they change, not the fields', () => {
  expect(subjectsOf(['--reorder', 'struct node: first,value,last'])).toEqual(new Set(['struct node']));
  expect(subjectsOf(['--split', 'ns::rec (a.h:4): key | *'])).toEqual(new Set(['ns::rec (a.h:4)']));
  expect(subjectsOf(['--pad-rows', 'u/8192,adi.c:12/8192=+64'])).toEqual(new Set(['u', 'adi.c:12']));
  expect(subjectsOf(['--align', 'struct counters.right=64', '--pad', 'grid=+64'])).toEqual(
    new Set(['struct counters.right', 'struct counters', 'grid']),
  );
  expect(subjectsOf(['--align', 'struct counters (a.c:3)=64'])).toEqual(new Set(['struct counters (a.c:3)']));
  expect(subjectsOf(['--allocator', 'mimalloc'])).toEqual(new Set(['mimalloc']));
});
