// Stage: test. `dprof COMMAND --help` fits a screen and names every option; `dprof help COMMAND` explains each.

import { expect, test } from 'vitest';
import { dprof } from './command-line.js';

const COMMANDS = [...dprof('--help').stdout.matchAll(/^ {2}([a-z]+) (?:\[options\]|\[command\])/gm)].map(
  ([, name]) => name,
);

/** Options as an explanation begins with them, two columns in. */
const explained = (text: string): string[] =>
  [...text.matchAll(/^ {2}(?:-[a-zA-Z], )?(--[a-z0-9-]+)/gm)].map(([, flag]) => flag);

test('there is help for every command', () => {
  expect(COMMANDS).toContain('report');
  expect(COMMANDS.length).toBeGreaterThan(15);
});

test.each(COMMANDS.filter((command) => command !== 'help'))('%s', (command) => {
  const short = dprof(command, '--help').stdout;
  const long = dprof('help', command).stdout;
  const lines = short.split('\n');
  expect(lines.length).toBeLessThanOrEqual(56);
  expect(
    lines.filter(
      (line) => line.length > 80 && !line.startsWith('Usage:') && !line.startsWith('  dprof ') && !/^ *\S+$/.test(line),
    ),
  ).toEqual([]);
  const options = explained(long);
  expect(options).toContain('--help');
  expect(options.filter((option) => !new RegExp(`${option}(?![a-z-])`).test(short))).toEqual([]);
  expect(new Set(options).size).toBe(options.length);
  if (command !== 'doctor') expect(short).toMatch(/\nExamples:\n {2}\S/);
});
