// Stage: test. From which files --view blocks reads code: those that ran, wherever the reader is, and no others.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outputOf, runDprof } from '../cli/command-client.js';
import { build, dump, FOLDER, record } from './recorded.js';

const FLAGS = ['-fdprof-blocks', '-O1', '-g', '-fno-vectorize', '-fno-unroll-loops'];
const LIBRARY = [...FLAGS, '-shared', '-fPIC'];

interface Blocks {
  readonly code: { readonly unread: readonly { readonly file: string; readonly reason: string }[] };
  readonly rows: readonly Record<string, any>[];
}
const blocksOf = (trace: string): Blocks =>
  JSON.parse(outputOf(['report', trace, '--view', 'blocks', '--format', 'json'])) as Blocks;
const functionsOf = ({ rows }: Blocks): string[] => [...new Set(rows.map((row) => row.function as string))].sort();

/** The program and a library that it loads as ./NAME. */
function loadFromFolder(flags: readonly string[] = []): { readonly library: string; readonly trace: string } {
  const library = build('block-library.c', [...LIBRARY, ...flags]);
  const program = build('block-loader.c', [...FLAGS, ...flags]);
  return { library, trace: record(program, [`./${basename(library)}`, dirname(library)]) };
}

/** A build of another source in its place. */
function buildAnew(library: string, flags: readonly string[] = []): void {
  copyFileSync(library, `${library}.old`);
  renameSync(build('block-library.c', [...LIBRARY, ...flags, '-DLONGER']), library);
}

it('a library that is named by a path from the folder in which the program was', () => {
  const { library, trace } = loadFromFolder();
  expect(dump(trace).filter((line) => line.startsWith('module '))).toEqual(
    expect.arrayContaining([expect.stringMatching(new RegExp(`^module ${library} build-id [0-9a-f]{16,}$`))]),
  );
  const blocks = blocksOf(trace);
  expect(blocks.code.unread).toEqual([]);
  expect(functionsOf(blocks)).toEqual(['add_up', 'main']);
  expect(blocks.rows.find((row) => row.function === 'add_up' && row.isLoop)).toMatchObject({
    executions: 6400,
    module: library,
  });
});

describe.each([
  ['with a build id', []],
  ['without a build id', ['-Wl,--build-id=none']],
])('%s', (_, flags) => {
  it('a library that was built anew since is not read', () => {
    const { library, trace } = loadFromFolder(flags);
    buildAnew(library, flags);
    const blocks = blocksOf(trace);
    expect(blocks.code.unread).toEqual([{ file: library, reason: 'built-anew' }]);
    expect(functionsOf(blocks)).toEqual(['main']);
    const text = outputOf(['report', trace, '--view', 'blocks']).replaceAll(/\s+/g, ' ');
    expect(text).toContain(`; unread: ${library} was built anew since `);
    renameSync(`${library}.old`, library);
    expect(functionsOf(blocksOf(trace))).toEqual(['add_up', 'main']);
  });
});

it('the same source, compiled otherwise: another build', () => {
  const { library, trace } = loadFromFolder();
  renameSync(build('block-library.c', [...LIBRARY, '-fno-omit-frame-pointer']), library);
  expect(blocksOf(trace).code.unread).toEqual([{ file: library, reason: 'built-anew' }]);
});

it('a file that is not there any more', () => {
  const { library, trace } = loadFromFolder();
  renameSync(library, `${library}.old`);
  expect(blocksOf(trace).code.unread).toEqual([{ file: library, reason: 'missing' }]);
});

it('nothing but files that were built anew: one line, and what to do', async () => {
  const program = build('block-names.cc', FLAGS);
  const trace = record(program);
  renameSync(build('block-names.cc', [...FLAGS, '-O2']), program);
  const { status, stdout, stderr } = await runDprof(['report', trace, '--view', 'blocks']);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    `dprof: ${trace}: built anew since it was recorded, so nothing says what its code was: ${program}\n` +
      'hint: record again; machine code is read from the files as they ran (docs/program-blocks.md)\n',
  );
});

it('a stripped copy of the debug information changes no build id', () => {
  const program = build('block-names.cc', FLAGS);
  const trace = record(program);
  execFileSync('objcopy', ['--strip-debug', program]);
  expect(functionsOf(blocksOf(trace))).toEqual(['fill', 'main', 'shop::Basket<long>::total']);
});

it('functions are named as in other views, and by the linker', () => {
  const { rows } = blocksOf(record(build('block-names.cc', FLAGS)));
  const names = Object.fromEntries(rows.map((row) => [row.symbol as string, row.function as string]));
  expect(names).toEqual({
    _ZL4filll: 'fill',
    _ZNK4shop6BasketIlE5totalEi: 'shop::Basket<long>::total',
    main: 'main',
  });
});

it('where there is no line, the place in the function and the address', () => {
  const program = build('block-names.cc', FLAGS);
  const trace = record(program);
  const moved = join(mkdtempSync(join(FOLDER, 'stripped-')), 'program');
  execFileSync('objcopy', ['--strip-debug', program, moved]);
  renameSync(moved, program);
  const { rows } = blocksOf(trace);
  const unknown = rows.find((row) => row.site === `${row.function}+${row.offset}`)!;
  expect(unknown.site).toMatch(/^(main|fill|shop::Basket<long>::total)\+0x[0-9a-f]+$/);
  const text = outputOf(['report', trace, '--view', 'blocks']);
  expect(text).toMatch(new RegExp(`^(${unknown.function})?\\+${unknown.offset} \\(${unknown.address}\\) `, 'm'));
});
