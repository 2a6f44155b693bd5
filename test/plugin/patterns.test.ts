// Stage: test of the plugin. Globs choose what is recorded: in options and in special-case lists, with every LLVM.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { DPROF_CXX, record, WORK } from './recorded-program.js';

const FUNCTIONS = ['get', 'get1', 'get2', 'get_all', 'put', 'putA', 'putB'];
const SOURCE = join(WORK, 'patterns.cc');

beforeAll(() => {
  const bodies = FUNCTIONS.map(
    (name) => `struct ${name}_type { int n; } ${name}_value;
extern "C" __attribute__((noinline)) void ${name}(void) { ${name}_value.n = 1; }`,
  );
  writeFileSync(
    SOURCE,
    `${bodies.join('\n')}
template <class T> struct box { T n; };
box<int *> boxed;
int main() { ${FUNCTIONS.map((name) => `${name}();`).join(' ')} boxed.n = 0; }
`,
  );
});

/** Names of the functions, or else variables, whose store is recorded. */
function recorded(flag: string): string[] {
  const program = join(WORK, 'patterns');
  const { status, stderr } = spawnSync(DPROF_CXX, ['-O1', flag, SOURCE, '-o', program], { encoding: 'utf8' });
  if (status !== 0) return [stderr.trim().split('\n')[0]!];
  const { lines } = record(program);
  return lines.flatMap((line) => /^ {2}store .* var=(\w+?)(_value)? /.exec(line)?.[1] ?? []).toSorted();
}

const ALL = [...FUNCTIONS, 'boxed'].toSorted();
const without = (...names: string[]): string[] => ALL.filter((name) => !names.includes(name));

test.each([
  ['get', ['get']],
  ['get?', ['get1', 'get2']],
  ['get*', ['get', 'get1', 'get2', 'get_all']],
  ['get[0-1]', ['get1']],
  ['put[!A]', ['putB']],
  ['{get,put}', ['get', 'put']],
  ['{get,put}{1,A,_*}', ['get1', 'get_all', 'putA']],
  ['get{,1}', ['get', 'get1']],
  ['*t[A{,}]', ['putA']],
  ['g.t', []],
  ['get|put', []],
  ['(get)', []],
  ['ge\\t', ['get']],
] as const)('%s', (glob, names) => {
  const list = join(WORK, 'patterns.txt');
  expect(recorded(`--only=${glob}`), 'chosen').toEqual(names);
  expect(recorded(`--skip=${glob}`), 'left out').toEqual(without(...names));
  writeFileSync(list, `# a list\nfun:nothing\n\n[{dprof,other}]\nfun:${glob}\n`);
  expect(recorded(`-fdprof-list=${list}`), 'left out by a list').toEqual(without(...names));
});

test.each([
  ['type:box<int \\*>', ['boxed']],
  ['type:get{1,2}_*', ['get1', 'get2']],
  ['src:*.cc', ALL],
  ['src:*/pattern?.cc', ALL],
  ['src:*/pattern.?cc', []],
  ['fun:get=other', []],
])('a line of a list: %s', (line, names) => {
  const list = join(WORK, 'patterns.txt');
  writeFileSync(list, `${line}\n`);
  expect(recorded(`-fdprof-list=${list}`)).toEqual(without(...names));
});

test.each([['get{1'], ['get{1,{2,3}}'], ['get{1}'], ['get['], ['get\\'], ['{a,b}'.repeat(11)]])(
  '%s is refused',
  (glob) => {
    expect(recorded(`--only=${glob}`)).toEqual([
      `error: dprof: '${glob}' is no name or glob (*, ?, [a-z], {one,other}; docs/choosing.md)`,
    ]);
  },
);

test('a line of a list that says nothing is refused', () => {
  const list = join(WORK, 'patterns.txt');
  writeFileSync(list, 'fun:get\nget\n');
  expect(recorded(`-fdprof-list=${list}`)).toEqual([
    `error: dprof: error parsing file '${list}': malformed line 2: 'get' ` +
      '(docs/choosing.md says what may stand in a list)',
  ]);
});
