// Stage: test. Libraries that are loaded at one address one after the other: what each did is its own.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { outputOf } from '../cli/command-client.js';
import { build, FOLDER, PROGRAMS, ROOT } from './recorded.js';

const ROUNDS = 20;
const SOURCE = join(PROGRAMS, 'same-place-library.c');
// The third one is not instrumented. All are of one size.
const LIBRARIES = [
  { name: 'first', compiler: join(ROOT, 'bin/dprof-cc'), fields: 'int value; char rest[12]' },
  { name: 'second', compiler: join(ROOT, 'bin/dprof-cc'), fields: 'char rest[8]; long value' },
  { name: 'third', compiler: process.env.CLANG ?? 'clang-19', fields: 'char rest[8]; long value' },
];

let places: string[];
let trace: string;
beforeAll(() => {
  const libraries = LIBRARIES.map(({ name, compiler, fields }) => {
    const library = join(FOLDER, `lib${name}.so`);
    const defines = [`-DNAME=${name}`, `-DNAME_work=${name}_work`, `-DFIELDS=${fields}`];
    execFileSync(compiler, ['-O1', '-g', '-fPIC', '-shared', ...defines, SOURCE, '-o', library]);
    return library;
  });
  const program = build('same-place.c', ['-O1', '-g']);
  trace = `${program}.dptrace`;
  places = outputOf(['record', '-o', trace, '--', program, String(ROUNDS), ...libraries])
    .trimEnd()
    .split('\n');
});

it('they are at the same address', () => {
  expect(places).toHaveLength(ROUNDS * LIBRARIES.length);
  const pages = new Set(places.map((place) => place.slice(0, -3)));
  expect(pages.size).toBe(1);
});

describe.each(['native', 'ts'])('engine %s', (engine) => {
  const rowsOf = (view: string): Record<string, any>[] =>
    JSON.parse(outputOf(['report', trace, '--engine', engine, '--view', view, '--format', 'json'])).rows;

  // Eight stores of each in a round, by two threads.
  it("functions are of the library that was there, with its struct's fields", () => {
    const functions = rowsOf('functions').map((row) => [row.function, row.references]);
    for (const name of ['first', 'second'])
      expect(functions).toContainEqual([`${name}_work`, { loads: 0, stores: 8 * ROUNDS }]);
    expect(functions.map(([name]) => name)).not.toContain('third_work');
  });

  // And one by the program itself, which knows no type: the object has it. Of the third library nothing is known.
  it('globals are of the library that was there, and of none where it is not instrumented', () => {
    const types: Record<string, { loads: number; stores: number }> = Object.fromEntries(
      rowsOf('data-profile').map((row) => [row.type, row.references]),
    );
    for (const name of ['struct first[]', 'struct second[]', 'struct first', 'struct second'])
      if (name in types) expect(types[name]).toEqual({ loads: 0, stores: 9 * ROUNDS });
    expect(Object.keys(types).filter((name) => /first|second/.test(name))).toHaveLength(2);
    const untyped = Object.entries(types).filter(([name]) => /third|untyped|char/.test(name));
    expect(untyped.reduce((sum, [, { stores }]) => sum + stores, 0)).toBe(ROUNDS);
  });
});
