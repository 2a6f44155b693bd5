// Stage: test. Accesses that the compiler hides in calls, assembly and intrinsics, through the whole way to the list of
// references.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TARGET_FLAGS } from '../aarch64/target.js';
import { outputOf } from '../cli/command-client.js';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-test-hidden-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasAvx2 = /^flags.*\bavx2\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
const AREA_BYTES = 192;

/**
 * "kind offset size" of every access to the program's area, and "w stack SIZE" for stores of that size that lie
 * elsewhere.
 */
function accesses(level: string, sizeElsewhere: number): string[] {
  const program = join(folder, `hidden${level}`);
  const trace = `${program}.dptrace`;
  execFileSync(join(root, 'bin/dprof-cc'), [
    ...TARGET_FLAGS,
    level,
    join(root, 'test/recorded/programs/hidden-accesses.c'),
    '-o',
    program,
  ]);
  const area = parseInt(
    execFileSync(join(root, 'bin/dprof'), ['record', '-o', trace, '--', program], { encoding: 'utf8' }),
    16,
  );
  const dump = outputOf(['dump', trace, '--references']);
  return dump
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [, kind, address, size] = line.split(' ');
      const offset = parseInt(address!, 16) - area;
      if (offset >= 0 && offset < AREA_BYTES) return [`${kind} ${offset} ${size}`];
      return kind === 'w' && Number(size) === sizeElsewhere ? [`w stack ${size}`] : [];
    });
}

it.each([['nothing more'], ['-fdprof-values']])(
  'a structure by value in a function that begins with the life of a variable, with %s',
  (flag) => {
    const program = join(folder, `variadic${flag}`);
    const flags = flag.startsWith('-') ? [flag] : [];
    execFileSync(join(root, 'bin/dprof-cc'), [
      ...TARGET_FLAGS,
      '-O2',
      ...flags,
      join(root, 'test/recorded/programs/variadic.c'),
      '-o',
      program,
    ]);
    outputOf(['record', '-o', `${program}.dptrace`, '--', program]);
    const dump = outputOf(['dump', `${program}.dptrace`, '--references']);
    // The caller's copy, the callee's, va_start's 24 bytes, and what va_arg looks at.
    expect(
      dump
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^0 (\w) \w+ /, '$1 ')),
    ).toEqual(['r 16', 'w 16', 'w 24', 'r 4', 'r 8', 'w 8', 'r 4']);
  },
);

describe.runIf(hasAvx2)('hidden accesses', () => {
  it.each(['-O1', '-O2'])('are each at their place, at %s', (level) => {
    expect(accesses(level, 40)).toEqual([
      'r 16 40',
      'w stack 40',
      'r 56 8',
      'w 56 8',
      'r 0 8',
      'w 48 40',
      'r 128 4',
      'r 64 4',
      'r 156 4',
      'w 64 4',
      'w 72 4',
      'w 84 4',
    ]);
  });
});
