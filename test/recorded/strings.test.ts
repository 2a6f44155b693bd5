// Stage: test. String functions are recorded where they are called: what each looks at and writes, from the bytes that
// are there.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { build, FOLDER, ROOT } from './recorded.js';
import { outputOf } from '../cli/command-client.js';
import { atLength } from '../at-length.js';

const ARENA = 0x10000000;

/** By source line: "r 0 5" for a load of 5 bytes at the arena's begin. Of strings elsewhere, the size only. */
function accessesByLine(program: string): Map<number, string[]> {
  const text = join(FOLDER, 'strings.txt');
  outputOf(['record', '-o', `text:${text}`, '--', program]);
  const found = new Map<number, string[]>();
  for (const line of readFileSync(text, 'utf8').split('\n')) {
    const match = /^\d+ (load|store) (\w+) (\d+) (.*) main .*strings\.c:(\d+)$/.exec(line);
    if (!match || match[4].includes('*') || match[3] === '0') continue;
    const offset = parseInt(match[2], 16) - ARENA;
    const where = offset >= 0 && offset < 4096 ? offset.toString(16) : 'elsewhere';
    const at = Number(match[5]);
    found.set(at, [...(found.get(at) ?? []), `${match[1] === 'load' ? 'r' : 'w'} ${where} ${match[3]}`]);
  }
  return found;
}

const EXPECTED: readonly [string, readonly string[]][] = [
  ['n = strlen(a);', ['r 0 5']],
  ['n = strnlen(b, 7);', ['r 100 7']],
  ['n = strnlen(a, 50);', ['r 0 5']],
  ['strcpy(b, a);', ['r 0 5', 'w 100 5']],
  ['p = stpcpy(b + 8, a);', ['r 0 5', 'w 108 5']],
  ['strncpy(c, a, 20);', ['r 0 5', 'w 200 5', 'w 205 15']],
  ['strncpy(c, a, 2);', ['r 0 2', 'w 200 2']],
  ['strcat(c, a);', ['r 200 5', 'r 0 5', 'w 204 5']],
  ['strncat(c, a, 2);', ['r 200 9', 'r 0 2', 'w 208 3']],
  ['r = strcmp(a, b);', ['r 0 5', 'r 100 5']],
  ['r = strcmp(a, "abX");', ['r 0 3', 'r elsewhere 3']],
  ['r = strncmp(a, b, 2);', ['r 0 2', 'r 100 2']],
  ['r = strcasecmp(a, "ABCD");', ['r 0 5', 'r elsewhere 5']],
  ['r = memcmp(a, b, 5);', ['r 0 5', 'r 100 5']],
  ["p = strchr(a, 'c');", ['r 0 3']],
  ["p = strchr(a, 'z');", ['r 0 5']],
  ["p = strrchr(a, 'b');", ['r 0 5']],
  ["p = memchr(a, 'b', 100);", ['r 0 2']],
  ['n = strspn(a, "ab");', ['r elsewhere 3', 'r 0 3']],
  ['n = strcspn(a, "dc");', ['r elsewhere 3', 'r 0 3']],
  ['p = strpbrk(a, "dz");', ['r elsewhere 3', 'r 0 4']],
  ['p = strstr(c, "cda");', ['r elsewhere 4', 'r 200 5']],
  ['strcpy(e->name, a);', ['r 0 5', 'w 410 5']],
  ['n = strlen(e->key);', ['r 400 1']],
  ['__builtin___strcpy_chk(', ['r 0 5', 'w 100 5']],
  ['__builtin___strncpy_chk(', ['r 0 2', 'w 200 2']],
];

describe.each([
  ['-O0', []],
  ['-O2', []],
  ['-O1 -static', ['-O1', '-static']],
])('%s', (name, flags) => {
  const lines = readFileSync(join(ROOT, 'test/recorded/programs/strings.c'), 'utf8').split('\n');
  const found = accessesByLine(build('strings.c', ['-D_GNU_SOURCE', '-w', ...(flags.length > 0 ? flags : [name])]));

  it.each(EXPECTED)('%s', (source, expected) => {
    const line = 1 + lines.findIndex((text) => text.trimStart().startsWith(source));
    // Scalars of main itself, `n` and `r`, are its own business.
    const ofStrings = (found.get(line) ?? []).filter(
      (access) => !/^[rw] elsewhere [48]$/.test(access) || expected.includes(access),
    );
    expect(ofStrings).toEqual(expected);
  });
});

it('a program that says its names mean nothing to the compiler is left alone', () => {
  const found = accessesByLine(build('strings.c', ['-D_GNU_SOURCE', '-w', '-O1', '-fno-builtin']));
  expect([...found.values()].flat().filter((access) => access === 'r 0 5')).toEqual([]);
});

describe.each([['-O0'], ['-O2'], ['-O1 -static']])('at %s', (flags) => {
  it('nothing behind a string is looked at, and nothing of it left out', () => {
    const program = build('string-edges.c', ['-w', ...flags.split(' ')]);
    const trace = join(FOLDER, 'string-edges.dptrace');
    const expected = execFileSync(join(ROOT, 'bin/dprof'), ['record', '-o', trace, '--', program], {
      encoding: 'utf8',
    });
    const references = outputOf(['dump', '--references', trace]);
    expect(references.split('\n').filter((line) => / 10000[0-9a-f]{3} /.test(line))).toEqual(
      expected.trimEnd().split('\n'),
    );
    expect(expected.trimEnd().split('\n')).toHaveLength(31);
  });

  it("a program's own string functions are called as often as it calls them", () => {
    const program = build('own-strings.c', ['-w', ...flags.split(' ')]);
    const [dormant, recorded] = [[program], [join(ROOT, 'bin/dprof'), 'record', '-o', 'null', '--', program]].map(
      ([command, ...words]) => execFileSync(command!, words, { encoding: 'utf8' }),
    );
    expect(dormant).toMatch(/^33 /);
    expect(recorded).toBe(dormant);
  });
});

/** Kind, address and size of each reference. */
function referencesOf(trace: string): string[] {
  return outputOf(['dump', '--references', trace]).split('\n').filter(Boolean);
}

describe.each([['-O0'], ['-O2 -D_FORTIFY_SOURCE=2'], ['-O1 -static']])('random strings at %s', (flags) => {
  const program = build('random-strings.c', ['-w', ...flags.split(' ')]);

  it.each(atLength([1, 2], [...Array(40).keys()]))('seed %i: a model of characters says the same', (seed) => {
    const trace = join(FOLDER, 'random-strings.dptrace');
    const expected = outputOf(['record', '-o', trace, '--', program, String(seed), '500'])
      .trimEnd()
      .split('\n');
    const addressOf = (line: string) => parseInt(line.split(' ')[2]!, 16);
    const isInArena = (address: number) => address >= ARENA && address < ARENA + 6 * 4096;
    // Copies of strings are on the heap.
    const copies = new Set(expected.map(addressOf).filter((address) => !isInArena(address)));
    const found = referencesOf(trace).filter((line) => isInArena(addressOf(line)) || copies.has(addressOf(line)));
    expect(copies.size).toBeGreaterThan(5);
    expect(found).toEqual(expected);
  });
});

it.each([['-O0'], ['-O2'], ['-O1 -static']])(
  'at %s, what a function of the C library makes is an object of its caller',
  (flags) => {
    const program = build('made-strings.c', ['-w', ...flags.split(' ')]);
    const text = join(FOLDER, 'made-strings.txt');
    outputOf(['record', '-o', `text:${text}`, '--', program]);
    const lines = readFileSync(text, 'utf8').split('\n');
    const source = readFileSync(join(ROOT, 'test/recorded/programs/made-strings.c'), 'utf8').split('\n');
    const at = (call: string) => 1 + source.findIndex((line) => line.includes(call));
    const found = (call: string) =>
      lines
        .map((line) =>
          new RegExp(`^0 (allocate|store) (\\w+) (\\d+) (.*) main .*made-strings\\.c:${at(call)}$`).exec(line),
        )
        .filter((match) => match !== null && !/\*/.test(match[4]!) && match[3] !== '4')
        .map((match) => `${match![1]} ${match![3]} ${match![4]}`);
    expect(found('strdup(')).toEqual(['allocate 0 -.copy', 'store 6 char']);
    expect(found('strndup(')).toEqual(['allocate 0 -.part', 'store 3 char']);
    expect(found('wcsdup(')).toEqual(['allocate 0 -.wide', 'store 20 wchar_t']);
    // What printf writes is not seen.
    expect(found(' asprintf(')).toEqual(['allocate 0 -.text']);
    // Where it was allocated: the last event of the runtime's in front of it.
    const addressOf = (line: string | undefined) => line?.split(' ')[2];
    const sites = lines.filter((line) => / allocate /.test(line) && / main /.test(line));
    expect(sites).toHaveLength(4);
    for (const site of sites) {
      const before = lines.slice(0, lines.indexOf(site)).findLast((line) => / allocate .* detail /.test(line));
      expect(addressOf(before)).toBe(addressOf(site));
    }
  },
);
