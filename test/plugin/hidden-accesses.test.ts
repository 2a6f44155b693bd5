// Stage: test of the plugin. Accesses that are no load or store of their own in the compiler's code: they are the ones
// written behind their lines.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile, DPROF_CC, expectedByLine, PROGRAMS, record, WORK } from './recorded-program.js';

const FLAGS = readFileSync('/proc/cpuinfo', 'utf8')
  .split('\n')
  .find((line) => line.startsWith('flags'))!
  .split(' ');

/** By source line every access, in order. */
function eventsByLine(lines: readonly string[]): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const text of lines) {
    const slot = /^ {2}(.*) :(\d+)(?: .*)?$/.exec(text);
    if (!slot || slot[1]!.startsWith('object')) continue;
    const line = Number(slot[2]);
    found.set(line, [...(found.get(line) ?? []), slot[1]!]);
  }
  return found;
}

function expected(source: string): Map<number, string[]> {
  return new Map([...expectedByLine(source)].map(([line, events]) => [line, events[0] === 'nothing' ? [] : events]));
}

/** Leaves out accesses of an unoptimised program to its own scalars, named or not. */
function withoutScalars(events: readonly string[]): readonly string[] {
  return events.filter(
    (event) =>
      !/^(load|store) \d+( (long|int|struct \w+ \*|long \*))?( local=\w+)?$/.test(event) ||
      /^load 32 long$/.test(event),
  );
}

describe.each(['-O1', '-O2', '-O3'])('at %s', (level) => {
  test.each(['by_value.c', 'asm_operands.c'])('the accesses of %s are seen', (source) => {
    const { lines, status } = record(compile(source, [level]));
    const found = eventsByLine(lines);
    expect(status).toBe(0);
    for (const [line, events] of expected(source))
      expect({ line, events: found.get(line) ?? [] }).toEqual({ line, events });
  });

  const hasAvx512 = FLAGS.includes('avx512bw') && FLAGS.includes('avx512vl');
  test.runIf(FLAGS.includes('avx2'))('each active lane of an intrinsic of the processor has an address', () => {
    const source = 'x86_lanes.c';
    const { lines, status } = record(compile(source, [level]));
    const found = eventsByLine(lines);
    const firstOfAvx512 = readFileSync(join(PROGRAMS, source), 'utf8')
      .split('\n')
      .findIndex((text) => text.includes('static int avx512'));
    expect(status).toBe(0);
    for (const [line, events] of expected(source))
      expect({ line, events: found.get(line) ?? [] }).toEqual({
        line,
        events: line > firstOfAvx512 && !hasAvx512 ? [] : events,
      });
  });
});

test.each(['by_value.c', 'asm_operands.c', 'temporaries.cc'])('%s without optimisation', (source) => {
  const { lines, status } = record(compile(source, ['-O0']));
  const found = eventsByLine(lines);
  expect(status).toBe(0);
  for (const [line, events] of expected(source))
    expect({ line, events: withoutScalars(found.get(line) ?? []) }).toEqual({ line, events: withoutScalars(events) });
});

test('what can not be recorded is counted with its reason', () => {
  const program = [
    '#include <immintrin.h>',
    'char state[4096] __attribute__((aligned(64)));',
    'void operand(char *p) { __asm__ volatile("nop" : "=m"(*(char(*)[])p)); }',
    '__attribute__((target("xsave"))) void save(void) { _xsave(state, 7); }',
    'int far(int __seg_fs *p) { return *p; }',
  ];
  const statistics = execFileSync(
    'sh',
    ['-c', `"$0" -fdprof-stats -O1 -c -xc - -o "$1" 2>&1`, DPROF_CC, join(WORK, 'refused.o')],
    { input: program.join('\n'), encoding: 'utf8' },
  );
  expect(
    statistics
      .split('\n')
      .filter((line) => line.includes('skipped'))
      .map((line) => line.replace(/.*skipped: /, ''))
      .toSorted(),
  ).toEqual(['inline assembly operand without a size: 1', 'other address space: 1', 'target intrinsic: 1']);
});
