// Processes of one program store its module once: what the recorder writes, what a reader makes of it, and what it
// refuses.

import { copyFileSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { readTraces } from '../../src/replay/open-trace.js';
import { ChunkKind, LAYOUT } from '../../src/trace/layout.js';
import type { ModuleHome } from '../../src/trace/module-chunk.js';
import { TraceError } from '../../src/trace/trace-error.js';
import { readTrace } from '../../src/trace/trace-reader.js';
import { dprof, DPROF_CC, makeFolder, run } from '../cli/command-line.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { writeUnit } from '../trace/unit-writer.js';

const folder = makeFolder();
const recorded = join(folder, 'recorded');
const program = join(folder, 'many');
const recorder = resolve(import.meta.dirname, '../../bin/dprof');

beforeAll(() => {
  const source = resolve(import.meta.dirname, 'programs/many.c');
  const compiled = run(DPROF_CC, '-O1', '-g', source, '-o', program);
  expect(compiled.status, compiled.stderr).toBe(0);
  mkdirSync(recorded);
  const { status, stderr } = run(recorder, 'record', '-o', join(recorded, 'many.dptrace'), '--', program, '3');
  expect(status, stderr).toBe(0);
});

const children = (): string[] =>
  readdirSync(recorded)
    .filter((name) => /\.dptrace\.\d+$/.test(name))
    .map((name) => join(recorded, name));

test('of four processes, the first stores the module and the others point to it', () => {
  const main = readTrace(join(recorded, 'many.dptrace'));
  expect(main.modules.map(({ home }) => home)).toEqual([undefined]);
  const traces = children().map((path) => readTrace(path));
  expect(traces).toHaveLength(3);
  for (const { modules, chunks } of traces) {
    expect(modules).toHaveLength(1);
    expect(modules[0].home).toMatchObject({ file: 'many.dptrace', pid: main.header.pid, module: 0 });
    expect(modules[0].path).toBe(main.modules[0].path);
    expect(modules[0].units).toEqual(main.modules[0].units);
    expect(chunks.some(({ kind }) => kind === ChunkKind.module)).toBe(false);
  }
});

test('traces that are opened together have the units in memory once, in whatever order', () => {
  const paths = [...children(), join(recorded, 'many.dptrace')];
  const [first, ...others] = readTraces(paths).map(({ modules }) => modules[0].units);
  for (const units of others) expect(units).toBe(first);
});

test('a trace of a child alone has its types; without the trace that has them, it says which is missing', () => {
  const [child] = children();
  const { status, stdout, stderr } = dprof('report', child, '--no-flow', '--no-cache');
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('char[]');
  const alone = join(folder, 'alone.dptrace');
  copyFileSync(child, alone);
  const refused = dprof('report', alone);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toMatch(
    /alone\.dptrace: module that another trace of its recording has at offset \d+: expected the trace .*\/many\.dptrace, found no such file\nhint: keep many\.dptrace of the same recording in the folder of this trace/,
  );
});

test('while the first process still runs, its trace has another name', () => {
  const later = join(folder, 'later');
  mkdirSync(later);
  const [child] = children();
  copyFileSync(child, join(later, 'child.dptrace'));
  copyFileSync(join(recorded, 'many.dptrace'), join(later, 'many.dptrace'));
  renameSync(join(later, 'many.dptrace'), join(later, 'many.dptrace.incomplete'));
  expect(readTrace(join(later, 'child.dptrace')).modules[0].units).toEqual(readTrace(child).modules[0].units);
});

test('another recording in the place of the first is refused', () => {
  const again = join(folder, 'again');
  mkdirSync(again);
  const [child] = children();
  copyFileSync(child, join(again, 'child.dptrace'));
  const { status, stderr } = run(recorder, 'record', '-o', join(again, 'many.dptrace'), '--', program, '0');
  expect(status, stderr).toBe(0);
  const { pid } = readTrace(join(again, 'many.dptrace')).header;
  const error = refusalOf(join(again, 'child.dptrace'));
  expect(error.expected).toMatch(/many\.dptrace of process \d+, which began at \d+$/);
  expect(error.actual).toContain(`process ${pid}, which began at `);
  expect(error.offset).toBe(readTrace(child).modules[0].home!.offset + LAYOUT.dprof_chunk_module_home.start_time_ns);
});

test('a trace on standard output has its modules itself, and no other points to it', () => {
  const text = join(folder, 'text');
  mkdirSync(text);
  const script = `cd ${text} && ${recorder} record -o - -- ${program} 3 > main`;
  expect(run('/bin/sh', '-c', script).status).toBe(0);
  expect(readTrace(join(text, 'main')).modules[0].home).toBeUndefined();
  const homes = readdirSync(text).flatMap((name) => readTrace(join(text, name)).modules[0].home?.file ?? []);
  expect(homes).not.toContain('main');
  for (const name of homes) expect(readTrace(join(text, name)).modules[0].home).toBeUndefined();
});

function refusalOf(path: string): TraceError {
  try {
    readTrace(path);
  } catch (error) {
    expect(error).toBeInstanceOf(TraceError);
    return error as TraceError;
  }
  throw new Error(`${path} was read`);
}

const units = writeUnit(new UnitBuilder().unit);
const made = join(folder, 'made');
const home: Omit<ModuleHome, 'offset'> = {
  file: 'first.dptrace',
  startTimeNs: 0n,
  pid: 7,
  module: 0,
  checksum: crc32(units),
};

function pointTo(fields: Partial<typeof home>): string {
  mkdirSync(made, { recursive: true });
  const first = new TraceWriter({ pid: 7 });
  first.module('/a', [units], []);
  writeFileSync(join(made, 'first.dptrace'), first.finish());
  const second = new TraceWriter({ pid: 8 });
  second.commonModule('/a', [], { ...home, ...fields }, 'c0ffee01');
  const path = join(made, 'second.dptrace');
  writeFileSync(path, second.finish());
  return path;
}

test('a trace that points to another one is read', () => {
  expect(readTrace(pointTo({})).modules[0]).toMatchObject({
    number: 0,
    path: '/a',
    buildId: 'c0ffee01',
    home,
  });
});

test.each<[string, Partial<typeof home>, string]>([
  ['another file', { file: 'third.dptrace' }, 'found no such file'],
  ['a folder', { file: 'folder' }, 'found no such file'],
  ['itself', { file: 'second.dptrace' }, 'found process 8, which began at 0'],
  ['itself, as what it is', { file: 'second.dptrace', pid: 8 }, 'found a trace without it'],
  ['another process', { pid: 9 }, 'expected'],
  ['a module that is not there', { module: 1 }, 'found a trace without it'],
  ['other units', { checksum: 1 }, 'expected units with 0x00000001, found 0x'],
  ['a path', { file: '../made/first.dptrace' }, 'expected the name of a file in its folder'],
  ['no name', { file: '' }, 'expected the name of a file in its folder, found ""'],
  ['the folder', { file: '..' }, 'expected the name of a file in its folder, found ".."'],
  ['a name with a zero', { file: 'a\0b' }, 'expected the name of a file in its folder'],
  ['a name that no file has', { file: 'a'.repeat(256) }, 'expected the name of a file in its folder'],
])('a module that points to %s is refused', (_, fields, message) => {
  mkdirSync(join(made, 'folder'), { recursive: true });
  expect(refusalOf(pointTo(fields)).message).toContain(message);
});

test.each([
  ['nothing behind its globals', 0],
  ['half of what it points to', 12],
  ['a name that is cut', LAYOUT.dprof_chunk_module_home.size + 3],
])('a module with %s is refused', (_, bytes) => {
  const whole = new TraceWriter({ pid: 8 });
  whole.commonModule('', [], home);
  const begin = LAYOUT.dprof_chunk_module.size;
  const payload = whole.unfinished().subarray(-(begin + LAYOUT.dprof_chunk_module_home.size + home.file.length));
  const cut = new TraceWriter({ pid: 8 });
  cut.chunk(ChunkKind.commonModule, payload.subarray(0, begin + bytes));
  const path = join(folder, 'cut.dptrace');
  writeFileSync(path, cut.finish());
  expect(refusalOf(path).message).toMatch(/COMMON_MODULE chunk at offset \d+: expected 24 bytes and a file name/);
});
