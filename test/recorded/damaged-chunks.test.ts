// Stage: test. A recorder writes chunks with which decoding may begin. So a trace with one damaged chunk lacks only
// what comes before the next of them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ChunkKind } from '../../src/trace/layout.js';
import { readTrace } from '../../src/trace/trace-reader.js';
import { runDprof } from '../cli/command-client.js';
import { build, FOLDER } from './recorded.js';

const LOADS = 1_500_000;
const TRACE = join(FOLDER, 'random-loads.dptrace');
const DAMAGED = join(FOLDER, 'random-loads-damaged.dptrace');
let program: string;

interface Report {
  readonly totals: { readonly loads: number };
  readonly rows: readonly { readonly type: string; readonly references: { readonly loads: number } }[];
  readonly damaged?: object;
}

const reportOf = (trace: string): Report =>
  JSON.parse(runDprof(['report', '--format', 'json', trace]).stdout) as Report;

beforeAll(() => {
  program = build('random-loads.c', ['-O1', '-g']);
  expect(runDprof(['record', '-o', TRACE, '--', program]).status).toBe(0);
});

test('what is decoded behind a chunk that begins anew is what happened', () => {
  const { chunks } = readTrace(TRACE);
  expect(chunks.filter(({ kind }) => kind === ChunkKind.restart).length).toBeGreaterThan(0);
  const { totals, rows } = reportOf(TRACE);
  expect(totals.loads).toBe(LOADS);
  const loaded = rows.filter(({ references }) => references.loads > 0);
  expect(loaded.map(({ type, references }) => [type, references.loads])).toEqual([['int64_t[]', LOADS]]);
});

test('so it is while the program runs', () => {
  const live = JSON.parse(runDprof(['run', '--format', 'json', '--', program]).stdout) as Report;
  expect(live.totals.loads).toBe(LOADS);
});

test('a damaged chunk takes with it what comes before the next such chunk, and reports say so', () => {
  const own = readTrace(TRACE).chunks.filter(({ kind }) => kind === ChunkKind.events || kind === ChunkKind.restart);
  const next = own.findIndex(({ kind }) => kind === ChunkKind.restart);
  const bytes = readFileSync(TRACE);
  bytes[own[next - 2].offset + 100] ^= 1;
  writeFileSync(DAMAGED, bytes);
  const leftOut = own.slice(next - 2, next);
  const sum = (chunks: readonly { readonly bytes: number }[]): number =>
    chunks.reduce((total, chunk) => total + chunk.bytes, 0);
  // A step of the loop is a path of one load, and takes a word.
  const steps = leftOut.reduce((total, { offset }) => total + bytes.readUInt32LE(offset), 0);
  const events = leftOut.reduce((total, { offset }) => total + bytes.readUInt32LE(offset + 4), 0);
  const report = reportOf(DAMAGED);
  expect(report.damaged).toEqual({ threads: 1, chunks: 1, chunksLeftOut: 1, bytes: sum(leftOut), ofBytes: sum(own) });
  expect(report.totals.loads).toBe(LOADS - (steps - events));
  const text = runDprof(['report', DAMAGED]).stdout.replace(/\s+/g, ' ');
  const share = ((100 * sum(leftOut)) / sum(own)).toFixed(1);
  expect(text).toContain(
    `DAMAGED 1 chunk of the trace with a wrong checksum and 1 that cannot be decoded without them, ${share}% of its ` +
      'bytes, of 1 thread, are left out: all numbers are of the rest',
  );
  expect(text).toContain('exact for the part of the run that could be read (DAMAGED), this machine');
  expect(runDprof(['dump', DAMAGED]).stdout.split('\n')).toContain(
    `damaged 1 chunks, 1 more left out, ${sum(leftOut)} bytes of 1 threads`,
  );
});
