// Stage: test. Functions that are not what they seem: one returns twice, others have names of the library's. Every
// access is in the trace, in order.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TARGET_FLAGS } from '../aarch64/target.js';
import { outputOf } from '../cli/command-client.js';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-test-odd-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** "kind name" of every access to a global of the program. */
function accesses(name: string, level: string): string[] {
  const program = join(folder, name + level);
  execFileSync(join(root, 'bin/dprof-cc'), [
    ...TARGET_FLAGS,
    level,
    '-fno-builtin',
    join(root, `test/recorded/programs/${name}.c`),
    '-o',
    program,
  ]);
  outputOf(['record', '-o', `${program}.dptrace`, '--', program]);
  const symbols = execFileSync('nm', [program], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, kind]) => kind === 'B');
  const dump = outputOf(['dump', `${program}.dptrace`, '--references']);
  const base = (name: string): number => parseInt(symbols.find(([, , symbol]) => symbol === name)![0]!, 16);
  const lines = dump
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '));
  return lines.flatMap(([, kind, address]) => {
    const low = parseInt(address!, 16) % 4096;
    const found = symbols.find(([, , symbol]) => base(symbol!) % 4096 === low);
    return found ? [`${kind} ${found[2]}`] : [];
  });
}

test.each(['-O0', '-O1', '-O2'])('__builtin_setjmp at %s: what came between its returns is not lost', (level) => {
  expect(accesses('second-return', level).filter((access) => !access.endsWith(' buffer'))).toEqual([
    'w a',
    'r c',
    'w c',
    'r b',
    'w b',
    'w d',
  ]);
});

test.each(['-O1', '-O2'])('functions with names of the library, but another type, are recorded at %s', (level) => {
  expect(accesses('own-names', level)).toEqual([
    'r counter',
    'w counter',
    'r counter',
    'w counter',
    'r counter',
    'w counter',
  ]);
});
