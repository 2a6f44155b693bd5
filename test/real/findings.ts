// Stage: test. What the proofs on big programs share: a recording -> its profile by both engines, sums that must hold,
// and the rows of a text report as a person sees them.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { DPROF, run } from './real-program.js';

/** The rows of a view's first table, without the sum and the notes below them. */
export function textRows(profile: string, ...view: readonly string[]): string[] {
  const lines = run([DPROF, 'report', profile, '--view', ...view]).split('\n');
  const begin = lines.findIndex((line) => line.startsWith('──')) + 1;
  const count = lines.slice(begin).findIndex((line) => /^all [a-z]+ |^ +[\d,]+ of [\d,]+ /.test(line));
  expect(begin, lines.join('\n')).toBeGreaterThan(0);
  expect(count, lines.join('\n')).toBeGreaterThan(0);
  return lines.slice(begin, begin + count);
}

export function replay(traces: string, profile: string, ...options: readonly string[]): string {
  run([DPROF, 'replay', traces, ...options, '-o', profile]);
  return profile;
}

/** Both engines replay the traces, or their first `window` references, to the same bytes. */
export function expectEnginesAgree(traces: string, folder: string, window: string): void {
  const [native, specified] = ['native', 'ts'].map((engine) =>
    replay(traces, `${folder}/${engine}.dprofile`, '--engine', engine, '--to', window),
  );
  expect(readFileSync(native).equals(readFileSync(specified)), `engines differ on ${traces}`).toBe(true);
}

interface Counted {
  readonly references: { readonly loads: number; readonly stores: number };
  readonly misses: Readonly<Record<'l1' | 'l2' | 'llc', { readonly loads: number; readonly stores: number }>>;
}

/** Rows sum up to the totals, and each level's classes to its misses, which are the references of the next level. */
export function expectTotals(profile: string): void {
  const text = execFileSync(DPROF, ['report', profile, '--format', 'json'], { encoding: 'utf8', maxBuffer: 1 << 29 });
  const { totals, rows, lostSegments, truncated } = JSON.parse(text);
  const sum = (count: (row: Counted) => { loads: number; stores: number }) =>
    rows.reduce((all: number, row: Counted) => all + count(row).loads + count(row).stores, 0);
  expect(truncated).toBe(false);
  expect(lostSegments).toBe(0);
  expect(sum((row) => row.references)).toBe(totals.references);
  expect(totals.loads + totals.stores).toBe(totals.references);
  let reached = totals.references;
  for (const name of ['l1', 'l2', 'llc'] as const) {
    const { hits, misses, classes } = totals.levels[name];
    expect(sum((row) => row.misses[name])).toBe(misses);
    expect(hits + misses).toBe(reached);
    expect(Object.values<number>(classes).reduce((all, count) => all + count)).toBe(misses);
    reached = misses;
  }
}
