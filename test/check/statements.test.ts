// Stage: test. What a line of dprof.yml says: every number, comparison, unit and subject, and what is none.

import { describe, expect, test } from 'vitest';
import { MEASURES } from '../../src/check/measures.js';
import { parseStatement, type Statement } from '../../src/check/statement.js';

const PLACE = { file: 'dprof.yml', line: 1, column: 1 };
const limit = (text: string, subject = 'struct node') => parseStatement(subject, text, 'limit', PLACE);
const kept = (text: string, subject = 'struct node') => parseStatement(subject, text, 'baseline', PLACE);
const right = (parsed: ReturnType<typeof limit>): Statement => {
  if ('wrong' in parsed) throw new Error(parsed.wrong);
  return parsed;
};

describe('a limit', () => {
  test.each([
    ['l1-misses <= 100', '<=', 100],
    ['l1-misses < 100', '<', 100],
    ['l1-misses >= 100', '>=', 100],
    ['l1-misses > 100', '>', 100],
    ['l1-misses == 100', '==', 100],
    ['l1-misses = 100', '==', 100],
    ['l1-misses<=100', '<=', 100],
    ['l1-misses  <=  2.5', '<=', 2.5],
    ['l1-misses <= 12M', '<=', 12e6],
    ['l1-misses <= 1.5k', '<=', 1500],
    ['l1-misses <= 2G', '<=', 2e9],
    ['bytes <= 64', '<=', 64],
    ['bytes <= 64 bytes', '<=', 64],
    ['bytes <= 1 byte', '<=', 1],
    ['bytes <= 64B', '<=', 64],
    ['bytes <= 4 KiB', '<=', 4096],
    ['bytes <= 4KiB', '<=', 4096],
    ['bytes <= 1 MiB', '<=', 2 ** 20],
    ['bytes <= 1 GiB', '<=', 2 ** 30],
    ['lines <= 1 line', '<=', 1],
    ['lines <= 2 lines', '<=', 2],
    ['estimated-cycles <= 5 cycles', '<=', 5],
    ['unused-bytes <= 20 bytes', '<=', 20],
  ])('%s', (text, comparison, bound) => {
    expect(right(limit(text))).toMatchObject({ comparison, bound, isShare: false });
  });

  test.each(['l2-misses <= 30 %', 'unused-bytes <= 20 %', 'l1-miss-rate < 5%'])('%s: a share', (text) => {
    expect(right(limit(text))).toMatchObject({ isShare: !text.startsWith('l1-miss-rate') });
  });

  test.each([
    ['l2-misses per lookup <= 2.5', { of: 'mark', name: 'lookup', count: 1 }],
    ['l2-misses per 100 lookup <= 2.5', { of: 'mark', name: 'lookup', count: 100 }],
    ['l2-misses per two words <= 2.5', { of: 'mark', name: 'two words', count: 1 }],
    ['l2-misses per mark:reference <= 2.5', { of: 'mark', name: 'reference', count: 1 }],
    ['l2-misses per instruction <= 2.5', { of: 'instructions', count: 1 }],
    ['l2-misses per 1000 instructions<=2.5', { of: 'instructions', count: 1000 }],
    ['l2-misses per 1000 references <= 2.5', { of: 'references', count: 1000 }],
  ])('%s', (text, per) => {
    expect(right(limit(text))).toMatchObject({ per, bound: 2.5 });
  });

  test.each([
    ['', 'run', ''],
    ['run', 'run', ''],
    ['struct node.key', 'type', 'struct node.key'],
    ['type run', 'type', 'run'],
    ['double[]', 'type', 'double[]'],
    ['std::map<int, long>', 'type', 'std::map<int, long>'],
    ['function  lookup', 'function', 'lookup'],
    ['line list.c:28', 'line', 'list.c:28'],
    ['site list.c:12', 'site', 'list.c:12'],
  ])('of %j', (subject, kind, name) => {
    expect(right(limit('references <= 1', subject)).subject).toEqual({ kind, name });
  });
});

test('a baseline is kept under the words of its statement, whatever its tolerance', () => {
  expect(right(kept('l1-misses'))).toMatchObject({ key: 'struct node: l1-misses', tolerance: { share: 0 } });
  expect(right(kept('l1-misses within 2.5 %')).tolerance).toEqual({ share: 0.025 });
  expect(right(kept('l1-misses within 1k')).tolerance).toEqual({ amount: 1000 });
  expect(right(kept('bytes within 4 bytes')).tolerance).toEqual({ amount: 4 });
  expect(right(kept('l1-misses per 10 walk within 1 %', ''))).toMatchObject({ key: 'l1-misses per 10 walk' });
});

test.each([
  ['l1-misses', "'l1-misses' is no limit", /as 'l1-misses <= 100'/],
  ['', "'' is no limit", /as/],
  ['l1-misses <= ', "'' is no number", /as 100, 2.5/],
  ['l1-misses <= -5', "'-5' is no number", /as 100/],
  ['l1-misses <= 1e9', "'1e9' is no number", /as 100/],
  ['l1-misses <= 5 furlongs', "'5 furlongs' is no number", /as 100/],
  ['l1-miss <= 5', "nothing is called 'l1-miss' that can be counted", /did you mean 'l1-misses'\?/],
  ['toString <= 5', "nothing is called 'toString' that can be counted", /known:|did you mean/],
  ['l1-misses <= 5 bytes', 'l1-misses is not counted in bytes', /leave it out/],
  ['bytes <= 64 cycles', 'bytes is not counted in cycles', /in bytes/],
  ['bytes <= 20 %', 'bytes is not told in percent', /leave out the %/],
  ['lines <= 20 %', 'lines is not told in percent', /leave out the %/],
  ['unused-bytes <= 20', 'unused-bytes: a number needs its unit', /20 %/],
  ['l1-miss-rate <= 5', 'l1-miss-rate: a number needs its unit', /5 %/],
  ['l1-misses per walk <= 5 %', 'l1-misses: a number per something is no percentage', /one of the two/],
  ['l1-misses per 0 walk <= 5', 'l1-misses per 0 walk', /per 1000 walk/],
  ['instructions <= 5', 'instructions is not counted for a type', /the whole run/],
])('no limit: %j', (text, wrong, hint) => {
  const parsed = limit(text);
  expect(parsed).toMatchObject({ wrong });
  expect('wrong' in parsed && parsed.hint).toMatch(hint);
});

test.each([
  ['', 'l1-misses <= 5 %', 'l1-misses is not told in percent of itself'],
  ['', 'bytes <= 5', 'bytes is not counted for the whole run'],
  ['function f', 'unused-bytes <= 5 %', 'unused-bytes is not counted for a function'],
])('no limit of %j: %s', (subject, text, wrong) => {
  expect(limit(text, subject)).toMatchObject({ wrong });
});

test.each([
  ['l1-misses <= 5', "'l1-misses <= 5' is no baseline"],
  ['l1-misses within', "'l1-misses within' is no baseline"],
  ['l1-misses within much', "'much' is no number"],
  ['l1-misses within 5 bytes', 'l1-misses is not counted in bytes'],
  ['misses within 1 %', "nothing is called 'misses' that can be counted"],
])('no baseline: %j', (text, wrong) => {
  expect(kept(text)).toMatchObject({ wrong });
});

test('every number can be limited where it is counted', () => {
  for (const [name, { of, unit }] of Object.entries(MEASURES))
    for (const kind of of) {
      const subject = kind === 'run' ? '' : `${kind} x`;
      expect(limit(`${name} <= 5${unit === '%' || unit === 'bytes?' ? ' %' : ''}`, subject)).toMatchObject({
        measure: name,
      });
    }
});
