// Stage: test. -fdprof-values and -fdprof-args: what is loaded, stored and given to functions, and nothing else
// changes.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { outputOf, runDprof } from '../cli/command-client.js';
import { accesses, build, dump, PROGRAMS, record, report, ROOT } from './recorded.js';

const BOTH = ['-fdprof-values', '-fdprof-args'];

function lines(trace: string, ...flags: string[]): string[] {
  return outputOf(['dump', trace, '--references', ...flags])
    .trimEnd()
    .split('\n');
}

/** "w 4 2a", in order. The pieces of a block operation are one: how many there are, its place says. */
function values(trace: string): string[] {
  const joined: string[] = [];
  for (const line of lines(trace, '--values')) {
    const [, kind, , size, value] = line.split(' ');
    const last = joined.at(-1)?.split(' ');
    if (kind === 'p') continue;
    if (value === '-' && last?.[0] === kind && last[2] === '-')
      joined[joined.length - 1] = `${kind} ${Number(last[1]) + Number(size)} -`;
    else joined.push(`${kind} ${size} ${value}`);
  }
  return joined;
}

/** "6 4 left plain": value, size, parameter and function, in order. */
function parameters(trace: string): string[] {
  return lines(trace, '--values').flatMap((line) => /^0 p (.*)$/.exec(line)?.[1] ?? []);
}

const EXPECTED = readFileSync(join(PROGRAMS, 'values.c'), 'utf8')
  .split('\n')
  .flatMap((line) => /\/\/ ((?:[rwa] \d+ [0-9a-f-]+(?:; )?)+)$/.exec(line)?.[1].split('; ') ?? []);

describe('values', () => {
  it.each(['-O1', '-O2', '-O3'])('of scalars, vectors, bit-fields, atomics and blocks at %s', (level) => {
    const found = values(record(build('values.c', [level, '-fno-slp-vectorize', '-fdprof-values'])));
    const from = found.indexOf(EXPECTED[0]);
    expect(EXPECTED).toHaveLength(28);
    expect(found.slice(from, from + EXPECTED.length)).toEqual(EXPECTED);
  });

  it('at -O0, between those of locals', () => {
    const found = values(record(build('values.c', ['-O0', '-fdprof-values'])));
    let at = 0;
    for (const line of found) if (line === EXPECTED[at]) at++;
    expect(EXPECTED.slice(at)).toEqual([]);
  });

  it('an atomic has its own before it, not that of the access before', () => {
    const trace = record(build('values.c', ['-O1', '-fdprof-values']));
    expect(dump(trace).filter((line) => / atomics .*stamped/.test(line))[0]).toMatch(
      /: 5 [0-9a-f]+ stamp \d+ {2}\(value atomic_int@\d+, atomic-store atomic_int@\d+\)$/,
    );
  });
});

describe('arguments', () => {
  it.each(['-O0', '-O1', '-O2'])(
    'integers, floating point, pointers, structures in registers and vectors at %s',
    (level) => {
      const found = parameters(record(build('values.c', [level, '-fdprof-args'])));
      const of = (name: string): string[] =>
        found.filter((line) => line.endsWith(` ${name}`)).map((line) => line.slice(0, -name.length - 1));
      expect(of('plain')).toEqual(['6 4 left', 'fffffff9 4 right']);
      expect(of('mixed').map((line) => (line.endsWith('name') ? 'name' : line))).toEqual([
        'name',
        '3e800000 4 factor',
        '4020000000000000 8 value',
        'b0000000a 8 pair',
        '1 1 flag',
        '2900000028 8 vector',
      ]);
      expect(of('coerced')).toEqual(['ffffffffffffffff 8 wide', '123456789abcdef 8 wide']);
      expect(of('in_memory')).toEqual(['3 4 before']);
    },
  );

  it('functions without references say them too', () => {
    const trace = record(build('values.c', ['-O1', '-fdprof-args']));
    expect(
      dump(trace).filter((line) => /marker #\d+ coerced entry: ffffffffffffffff 123456789abcdef/.test(line)),
    ).toHaveLength(1);
  });

  it('are left out with their functions', () => {
    const found = parameters(record(build('values.c', ['-O1', '-fdprof-args', '--only', 'plain'])));
    expect(found).toEqual(['6 4 left plain', 'fffffff9 4 right plain']);
  });
});

describe('nothing else changes', () => {
  let plain: string, valued: string;
  beforeAll(() => {
    plain = record(build('chosen.c', ['-O2']));
    valued = record(build('chosen.c', ['-O2', ...BOTH]));
  });

  it('the same references, for both engines', () => {
    expect(accesses(valued)).toEqual(accesses(plain));
    for (const engine of ['native', 'ts']) {
      const totals = [plain, valued].map(
        (trace) =>
          (report(trace, 'data-profile', '--engine', engine) as unknown as { totals: { references: object } }).totals,
      );
      expect(totals[1].references).toEqual(totals[0].references);
    }
    const rows = (trace: string, engine: string): object[] => [
      ...report(trace, 'data-profile', '--engine', engine).rows,
    ];
    expect(rows(valued, 'native')).toEqual(rows(valued, 'ts'));
  });

  it('loops are recorded iteration by iteration, and are the same references in the same order', () => {
    const shape = (trace: string): string[] => lines(trace).map((line) => line.replace(/ [0-9a-f]+ /, ' '));
    expect(shape(valued)).toEqual(shape(plain));
    // the last two of lefts, of rights
    expect(lines(valued, '--values').filter((line) => / w [0-9a-f]+ 16 62$/.test(line))).toHaveLength(2);
  });

  it('a sink of decoded records is told the same', () => {
    const text = (program: string): string[] => {
      const { stdout, status } = spawnSync(join(ROOT, 'bin/dprof'), ['record', '-o', 'text', '--', program], {
        encoding: 'utf8',
        maxBuffer: 1 << 26,
      });
      expect(status).toBe(0);
      return stdout
        .split('\n')
        .filter((line) => /^\d+ (load|store|atomic|object) /.test(line))
        .map((line) => line.replace(/ [0-9a-f]+ /, ' '));
    };
    expect(text(build('chosen.c', ['-O2', '-DVALUED', ...BOTH, '-fdprof-skip=none']))).toEqual(
      text(build('chosen.c', ['-O2'], { DPROF_LOOPS: '0' })),
    );
  });

  it('a trace without values is refused, and so is a dump that has no place for them', () => {
    for (const [words, status, message] of [
      [[plain, '--references', '--values'], 1, /says nothing of values\n.*-fdprof-values/],
      [[valued, '--values'], 2, /--values does nothing .*\n.*--references/],
    ] as const) {
      const outcome = runDprof(['dump', ...words]);
      expect(outcome.status).toBe(status);
      expect(outcome.stderr).toMatch(message);
      expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(2);
    }
  });
});
