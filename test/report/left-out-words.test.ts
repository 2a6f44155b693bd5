// What advice says of what it leaves out: the type first, both shares, and what came nearest or why nothing was tried.

import { expect, test } from 'vitest';
import type { AdviceJson } from '../../src/advise/advice-schema.js';
import { plainText } from '../../src/report/advice-words.js';
import { briefType } from '../../src/report/brief-type.js';
import { bestTriedOf, costliestOf, isOfUse, leftOutOf } from '../../src/report/left-out-words.js';

const RUN = { cycles: 1000, instructions: 3000, minGain: 0.05 };
const NEAR = { text: 'pad struct node', options: ['--pad', 'struct node=+64'], gainShare: 0.01 };

const problem = {
  kind: 'unused-bytes',
  level: 'l1',
  type: 'leveldb::SkipList<const char *, leveldb::MemTable::KeyComparator>::Node',
  name: null,
  fields: [],
  site: 'db/skiplist.h:118',
  function: null,
  allocatedAt: null,
  cycles: 240,
  cyclesShare: 0.24,
  misses: 10,
  missesShare: 0.1,
  sides: null,
} as const;

const left = (rest: object): AdviceJson['left'] => ({
  count: 1,
  largestShare: 0.24,
  largest: problem,
  costliest: [{ ...problem, nearest: null, ...rest }],
});

test.each([
  [{ untried: 'nobody can' }, ' Nothing was tried: nobody can.'],
  [
    { nearest: NEAR },
    ' The nearest that was tried saves 4.0% of the estimated cycles, 1.0% of the run (less than 5%: --min-gain): ' +
      'pad struct node.',
  ],
  [{ nearest: { ...NEAR, gainShare: 0 } }, ' The nearest that was tried saves nothing: pad struct node.'],
  [{ nearest: { ...NEAR, gainShare: -0.1 } }, ' The nearest that was tried makes it worse: pad struct node.'],
  [
    { nearest: { ...NEAR, gainShare: 0.05 } },
    ' The nearest that was tried saves 20.0% of the estimated cycles, 5.0% of the run, but does harm on another ' +
      'machine or under another schedule, or too little for the run time: pad struct node.',
  ],
])('%j', (rest, said) => {
  const [words] = costliestOf(left(rest), RUN);
  expect(plainText(words)).toBe(
    'leveldb::SkipList<…>::Node: bytes fetched and never used, 24.0% of the estimated cycles, 6.0% of the run, ' +
      `most by L1 misses, at skiplist.h:118.${said}`,
  );
});

test('the best that was tried, once', () => {
  const bestTried = { ...NEAR, cycles: { before: 1000, after: 960 } };
  expect(plainText(bestTriedOf({ ...RUN, bestTried }))).toBe(
    'The best that was tried saves 4.0% of the estimated cycles, 1.0% of the run (less than 5%: --min-gain): ' +
      'pad struct node. Predicted: estimated cycles 1,000 -> 960, 0.96 x.',
  );
  expect(plainText(costliestOf(left({ nearest: NEAR }), { ...RUN, bestTried })[0])).toMatch(
    / That change comes nearest\.$/,
  );
  expect(isOfUse(bestTried)).toBe(true);
  const worse = { ...bestTried, gainShare: -0.02, cycles: { before: 1000, after: 1080 } };
  expect(plainText(bestTriedOf({ ...RUN, bestTried: worse }))).toBe(
    'All that was tried makes it worse, least of all: pad struct node. Predicted: estimated cycles 1,000 -> 1,080, ' +
      '1.08 x.',
  );
  expect(isOfUse(worse)).toBe(false);
  expect(bestTriedOf({ ...RUN, bestTried: null })).toEqual([]);
});

test('nothing serious: what misses cost all the same', () => {
  const said = (cycles: number): string => plainText(leftOutOf(0, left({}), { cycles, instructions: 3000, tried: 7 }));
  const nothing =
    'Nothing serious: nothing that was tried brings enough of the run (instructions and estimated cycles; --min-gain).';
  expect(said(300)).toBe(nothing);
  expect(said(1000)).toBe(
    `${nothing} Misses cost 25.0% of it all the same: what costs most may need another data structure, or less data.`,
  );
});

test('beside findings: the costliest follow; older advice names the largest', () => {
  const said = (own: AdviceJson['left']): string => plainText(leftOutOf(2, own, { ...RUN, tried: 7 }));
  expect(said(left({}))).toMatch(/brings enough \(--min-gain\)\. The costliest, and why:$/);
  expect(said({ ...left({}), costliest: undefined })).toMatch(
    / The largest: leveldb::SkipList<…>::Node: bytes fetched and never used, 24\.0% of the estimated cycles, 6\.0% of /,
  );
});

test.each([
  ['struct node', 'struct node'],
  ['leveldb::SkipList<const char *, leveldb::MemTable::KeyComparator>::Node', 'leveldb::SkipList<…>::Node'],
  ['std::map<std::pair<int, long>, std::vector<char>>', 'std::map<…>'],
  ['one_company::and_its_product::and_a_part::record', 'one_company::…::record'],
  ['a_type_of_which_someone_wrote_operator>>', 'a_type_of_which_someone_wrote_operator>>'],
])('%s in a list: %s', (type, brief) => {
  expect(briefType(type)).toBe(brief);
});
