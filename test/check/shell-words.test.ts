// Stage: test. Commands split into words, by what /bin/sh makes of them.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { splitWords } from '../../src/base/shell-words.js';
import { RandomNumbers } from '../random/random-numbers.js';

const PIECES = [
  'a',
  'B',
  ' ',
  '  ',
  '\t',
  '\r',
  '\f',
  '\u00a0',
  '\u3000',
  '"',
  "'",
  '\\ ',
  '\\"',
  "\\'",
  '\\\\',
  '\\a',
  '\\$',
  '\\`',
  '\\\n',
  '/-=.',
  '"x y"',
  "'p  q'",
];

/** null: it is no command. */
function byShell(text: string): string[] | null {
  const { status, stdout } = spawnSync('sh', ['-c', `for word in ${text}\ndo printf '%s\\0' "$word"; done`], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.split('\0').slice(0, -1) : null;
}

test('as a shell does', () => {
  const random = new RandomNumbers(7);
  let refused = 0;
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: 1 + random.below(8) }, () => random.pick(PIECES)).join('');
    const words = byShell(text);
    if (words === null) refused++;
    expect([text, splitWords(text)]).toEqual([text, words]);
  }
  expect(refused).toBeGreaterThan(30);
  expect(refused).toBeLessThan(270);
});

test('nothing behind a backslash', () => {
  expect(splitWords('a \\')).toBeNull();
});

test.each([
  ['./work list 5', ['./work', 'list', '5']],
  ["  ./work  'two words' \"and 'more'\" ", ['./work', 'two words', "and 'more'"]],
  ['./work "" \\"x', ['./work', '', '"x']],
  ['./work a\\ b "c\\"d"', ['./work', 'a b', 'c"d']],
  ['./work $HOME;x', ['./work', '$HOME;x']],
  ["./work 'open", null],
  ['   ', []],
])('the words of %j', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});
