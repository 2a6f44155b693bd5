// The recorder's last line when all went well: on a terminal, what it wrote and the next command; elsewhere, nothing.

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recorder, Workbench } from './workbench.js';

const bench = new Workbench();
let program: string;
let trace: string;
beforeAll(() => {
  program = bench.compile('ends.c');
  trace = bench.path('said.dptrace');
});
afterAll(() => bench.clean());

/** The output on a terminal, which util-linux's script provides. */
function onTerminal(...flags: readonly string[]): string {
  const command = [recorder, ...flags, '--', program, 'return', '0'].join(' ');
  return execFileSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8' }).replaceAll('\r\n', '\n');
}

test('a file: its bytes, its segments, and the report', () => {
  expect(onTerminal('-o', trace)).toBe(
    `dprof: ${trace}: ${statSync(trace).size} bytes, 5000 segments; next: dprof report ${trace}\n`,
  );
});

test.each([[['--quiet', '-o', 'FILE']], [['-o', 'null']]])('nothing with %j', (flags) => {
  expect(onTerminal(...flags.map((flag) => (flag === 'FILE' ? trace : flag)))).toBe('');
});

test('nothing where nobody looks', () => {
  expect(bench.run([recorder, '-o', trace, '--', program, 'return', '0'])).toMatchObject({ status: 0, stderr: '' });
});
