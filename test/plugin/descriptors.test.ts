// Stage: test of the plugin. The events of small programs are the ones written behind their lines.
import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  accessesByLine,
  compile,
  expectedByLine,
  expectedStream,
  PROGRAMS,
  record,
  sitesByLine,
} from './recorded-program.js';
import { LLVM } from './clang.js';

const LEVELS = ['-O0', '-O1', '-O2', '-O3'];

function pick(found: Map<number, string[]>, wanted: Iterable<number>): Record<number, string[]> {
  return Object.fromEntries([...wanted].map((line) => [line, found.get(line) ?? []]));
}

/** LLVM 22 loads what the head leads to before the loop: from the owner, as the source has it. */
function withFirstSteps(expected: Map<number, string[]>): void {
  for (const [line, accesses] of expected)
    if (accesses.includes('load 8 link .next'))
      expected.set(line, ['load 8 struct owner .lists[].head.next @32 var=all', ...accesses]);
}

describe.each(LEVELS)('at %s', (level) => {
  test.each(
    level === '-O0' ? ['fields.c', 'classes.cc', 'walks.c'] : ['fields.c', 'atomics.c', 'classes.cc', 'walks.c'],
  )('the accesses of %s are described as the source has them', (source) => {
    const { lines, status } = record(compile(source, [level]));
    const expected = expectedByLine(source);
    if (source === 'walks.c' && level !== '-O0' && LLVM >= 22) withFirstSteps(expected);
    expect(status).toBe(0);
    expect(pick(accessesByLine(lines), expected.keys())).toEqual(Object.fromEntries(expected));
  });

  test.each(['allocation.c', 'new.cc'])('the sites of %s say what they allocate', (source) => {
    const { lines, status } = record(compile(source, [level, '-fno-builtin']));
    const expected = expectedByLine(source);
    expect(status).toBe(0);
    expect(pick(sitesByLine(lines), expected.keys())).toEqual(Object.fromEntries(expected));
  });

  test('globals, static and thread-local ones too, are told to the runtime', () => {
    const { lines } = record(compile('globals.c', [level]));
    const told = lines.filter((text) => /^(global|thread-local) /.test(text));
    expect(told.toSorted()).toEqual(expectedStream('globals.c', /^(global|thread-local) /).toSorted());
  });

  test('a stack variable that escapes lives from entry to exit', () => {
    const { lines } = record(compile('stack.c', [level]));
    const frame = lines.filter((text) => /outer.* frame$|^ {2}object/.test(text));
    expect(
      frame.map((text) =>
        text
          .replace(/^segment (.*) n=\d+/, 'marker $1')
          .trim()
          .replace(/ :.*/, ''),
      ),
    ).toEqual(expectedStream('stack.c', /^(marker|object) /));
  });

  test('vector, masked and gathered accesses have an event per address', () => {
    const source = 'lanes.ll';
    const expected = readFileSync(join(PROGRAMS, source), 'utf8')
      .split('\n')
      .flatMap((text) => /^ {2}; (.*)$/.exec(text)?.[1] ?? []);
    const { lines } = record(compile(source, [level, '-g0']));
    const events = lines.filter((text) => text.startsWith('  ')).map((text) => text.trim().replace(/ :.*/, ''));
    expect(events).toEqual(expected);
  });
});

test('segments end at calls and blocks and count the instructions of the code as it was', () => {
  const { lines } = record(compile('segments.c', ['-O0']));
  expect(lines.filter((text) => text.startsWith('segment'))).toEqual(expectedStream('segments.c', /^segment /));
});
