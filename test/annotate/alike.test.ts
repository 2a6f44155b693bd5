// Stage: test. Two files of one name with a struct of one tag each, compiled in their folders as recursive make does:
// two files and two types in every report, whatever folder dprof runs in; and a header that both include is one.

import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execFileSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { outputOf } from '../cli/command-client.js';
import { dprof, DPROF_CC, makeFolder } from '../cli/command-line.js';

const SOURCES = resolve(import.meta.dirname, 'programs/alike');
const NODE = ['struct node (a/util.c:3)', 'struct node (b/util.c:5)'];

let folder: string;

/** A program of `sources` in a folder of its own, recorded and replayed; the parts name the folders that it has. */
function make(name: string, parts: readonly ('a' | 'b')[] = ['a', 'b'], ...flags: string[]): string {
  const root = join(folder, name);
  mkdirSync(root);
  cpSync(SOURCES, root, { recursive: true });
  const compile = (where: string, ...words: string[]): void =>
    void execFileSync(DPROF_CC, ['-g', '-O1', ...flags, ...words], { cwd: join(root, where) });
  if (parts.includes('a')) compile('a', '-c', 'util.c', '-o', 'util.o');
  if (parts.includes('b')) compile('b', `-I${root}/include`, '-c', 'util.c', '-o', 'util.o');
  const calls = parts.map((part) => `run_${part}(1000)`);
  writeFileSync(
    join(root, 'main.c'),
    `long run_a(int), run_b(int);\nint main(void) { return ${calls.join(' + ')} == 0; }\n`,
  );
  compile('.', 'main.c', ...parts.map((part) => `${part}/util.o`), '-o', 'prog');
  const trace = join(root, 'run.dptrace');
  outputOf(['record', '-o', trace, '--', join(root, 'prog')]);
  const profile = join(folder, `${name}.dprofile`);
  expect(dprof('replay', trace, '-o', profile)).toMatchObject({ status: 0, stderr: '' });
  return profile;
}

interface Row {
  readonly type: string;
  readonly field: string | null;
  readonly references: { readonly loads: number; readonly stores: number };
  readonly file: string;
  readonly line: number;
  readonly text: string | null;
}

function rowsOf(...words: string[]): readonly Row[] {
  const { status, stdout, stderr } = dprof(...words, '--format', 'json');
  expect([status, stderr]).toEqual([0, '']);
  return (JSON.parse(stdout) as { rows: Row[] }).rows;
}

const typesOf = (...words: string[]): Record<string, number> =>
  Object.fromEntries(
    rowsOf('report', ...words, '--view', 'data-profile').map(({ type, references: { loads, stores } }) => [
      type,
      loads + stores,
    ]),
  );

let both: string;

beforeAll(() => {
  folder = makeFolder();
  both = make('both');
});

test('two structs of one tag are two rows, which say where they are declared; a header is one place', () => {
  const types = typesOf(both);
  const varies = Object.keys(types).filter((name) => name.startsWith('struct varies'));
  // Each element is written twice and read twice; in b each node is written and read twice.
  expect([types[NODE[0]], types[NODE[1]], types['struct shared']]).toEqual([4000, 4000, 4]);
  expect(varies.sort()).toEqual(
    ['16', '64'].map((bytes) => expect.stringMatching(`^struct varies \\(.*include/shared\\.h:7, ${bytes} bytes\\)$`)),
  );
  expect(Object.keys(types)).toHaveLength(5);
});

test('--type by what the language writes selects both, by its whole name one', () => {
  expect(Object.keys(typesOf(both, '--type', 'struct node')).sort()).toEqual(NODE);
  expect(Object.keys(typesOf(both, '--type', NODE[1]))).toEqual([NODE[1]]);
  expect(dprof('report', both, '--type', 'struct node').stdout).toContain(
    'only rows of type struct node (2 types are called so)',
  );
  const members = rowsOf('report', both, '--view', 'miss-classification', '--type', NODE[0]);
  expect(members.map(({ field }) => field).sort()).toEqual(['key', null, 'weight'].sort());
  const text = dprof('annotate', both, '--type', 'struct node').stdout;
  expect(text).toContain('struct node, a/util.c:3: misses by member\n');
  expect(text).toContain('struct node, b/util.c:5: misses by member\n');
  expect(text).toMatch(/^ {4}double value; +8 +8 +0 +0\.0% +0 +0 +0 +2,000$/m);
});

test('annotate keeps the lines of two files apart, and finds both from any folder', () => {
  const rows = rowsOf('annotate', both).filter(({ references }) => references !== undefined);
  const at = (file: string, line: number): Row => rows.find((row) => row.file === file && row.line === line)!;
  expect([at('a/util.c', 10).references, at('b/util.c', 10).references]).toEqual([
    { loads: 2000, stores: 0 },
    { loads: 0, stores: 2000 },
  ]);
  expect(at('a/util.c', 10).text).toContain('nodes[i].key * nodes[i].weight');
  expect(at('b/util.c', 10).text).toContain('one->next = head');
  expect([...new Set(rows.map(({ file }) => file))].sort()).toEqual(['a/util.c', 'b/util.c']);
});

test('sources that moved: --source-dir, --substitute-path by whole folders, and what was tried', () => {
  const [root, moved] = [join(folder, 'both'), join(folder, 'moved')];
  renameSync(root, moved);
  try {
    const found = (...words: string[]): (string | null)[] => {
      const { stdout } = dprof('annotate', both, ...words, '--format', 'json');
      const { files } = JSON.parse(stdout) as { files: { file: string; path: string | null; tried?: string[] }[] };
      return files.map(({ path, tried }) => path ?? tried?.join(' ') ?? null).sort();
    };
    const here = ['a', 'b'].map((part) => join(moved, part, 'util.c'));
    expect(found()).toEqual(['a', 'b'].map((part) => join(root, part, 'util.c')));
    expect(found('--source-dir', moved)).toEqual(here);
    expect(found('--substitute-path', `${root}=${moved}`)).toEqual(here);
    // The first rule that fits, as in gdb; a rule fits whole folders only.
    expect(found('--substitute-path', `${root}=${moved}`, '--substitute-path', `${root}=/none`)).toEqual(here);
    expect(found('--substitute-path', `${root.slice(0, -1)}=${moved}`)).toEqual(found());
    // The one folder has a file of that name, which may be the other one.
    expect(found('--source-dir', join(moved, 'a'))[1]).toContain(join(moved, 'a/b/util.c'));
    expect(dprof('annotate', both).stdout).toContain(`the source is not there: functions instead; tried ${root}/`);
  } finally {
    renameSync(moved, root);
  }
  expect(dprof('annotate', both, '--substitute-path', 'nowhere')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("--substitute-path 'nowhere' is no FROM=TO\nhint: say which folder"),
  });
});

test('-ffile-prefix-map is what the compiler says of its folder', () => {
  const mapped = make('mapped', ['a', 'b'], `-ffile-prefix-map=${join(folder, 'mapped')}=/src`);
  expect(Object.keys(typesOf(mapped, '--type', 'struct node')).sort()).toEqual(NODE);
  const { stdout } = dprof('annotate', mapped, '--substitute-path', `/src=${join(folder, 'mapped')}`);
  expect(stdout).toContain('one->next = head');
  expect(dprof('annotate', mapped).stdout).toContain('tried /src/b/util.c;');
});

test('runs of two programs: the same type is one row, another of its tag is two', () => {
  const [a, b] = [make('one', ['a']), make('other', ['b'])];
  expect(Object.keys(typesOf(a, '--type', 'struct node'))).toEqual(['struct node']);
  const merged = join(folder, 'merged.dprofile');
  const merge = (...profiles: string[]): Record<string, number> => {
    rmSync(merged, { force: true });
    expect(dprof('merge', ...profiles, '-o', merged)).toMatchObject({ status: 0, stderr: '' });
    return typesOf(merged, '--type', 'struct node');
  };
  expect(merge(a, b)).toEqual({ [NODE[0]]: 4000, [NODE[1]]: 4000 });
  const files = rowsOf('annotate', merged).filter(({ line, references }) => line === 10 && references !== undefined);
  expect(files.map(({ file, references }) => [file, references.loads]).sort()).toEqual([
    ['a/util.c', 2000],
    ['b/util.c', 0],
  ]);
  expect(merge(a, a)).toEqual({ 'struct node': 8000 });
  // In whatever steps.
  const steps = join(folder, 'steps.dprofile');
  merge(a, b);
  renameSync(merged, steps);
  expect(merge(steps, a)).toEqual({ [NODE[0]]: 8000, [NODE[1]]: 4000 });
});

test('a comparison finds a type again where its name says more than before', () => {
  const rows = rowsOf('diff', join(folder, 'one.dprofile'), both).filter(({ field }) => field === null);
  const nodes = rows.filter(({ type }) => type.startsWith('struct node')) as unknown as {
    type: string;
    presence: string;
  }[];
  expect(nodes.map(({ type, presence }) => `${type} ${presence}`).sort()).toEqual([
    `${NODE[0]} both`,
    `${NODE[1]} appeared`,
  ]);
});
