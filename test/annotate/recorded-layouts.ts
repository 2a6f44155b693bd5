// Stage: test. A small program of many layouts, compiled and recorded; and what pahole says of its types.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { makeFolder } from '../cli/command-line.js';

const ROOT = resolve(import.meta.dirname, '../..');
export const SOURCE = 'test/annotate/programs/layouts.c';

export function recordLayouts(): { readonly folder: string; readonly program: string; readonly trace: string } {
  const folder = makeFolder();
  const [program, trace] = [join(folder, 'layouts'), join(folder, 'layouts.dptrace')];
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-g', '-gdwarf-4', '-O0', SOURCE, '-o', program], { cwd: ROOT });
  execFileSync(join(ROOT, 'bin/dprof'), ['record', '-o', trace, '--', program], { cwd: ROOT });
  return { folder, program, trace };
}

export interface PaholeMember {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly bit?: number;
}

export interface PaholeType {
  readonly members: readonly PaholeMember[];
  readonly holes: readonly number[];
  readonly bitHoles: readonly number[];
  /** Number of the line, and bytes since it began. */
  readonly boundaries: readonly (readonly [line: number, ago: number])[];
  readonly facts: Readonly<Record<string, number>>;
}

/** Members and holes of the outermost level, as pahole numbers them. */
export function askPahole(program: string, type: string): PaholeType {
  const text = execFileSync('pahole', ['--suppress_aligned_attribute', '--suppress_packed', '-C', type, program], {
    encoding: 'utf8',
  });
  const lines = text.split('\n');
  const members: PaholeMember[] = [];
  const [holes, bitHoles, boundaries] = [[] as number[], [] as number[], [] as [number, number][]];
  const facts: Record<string, number> = {};
  for (const line of lines) {
    // One tab: a member of its own; two or more: of a type in it, or of one that pahole repeats.
    if (!/^\t[^\t\n]/.test(line)) continue;
    const [, declared, offset, bit, size] = /^\t(.*\S)\s*\/\*\s*(\d+)(?::\s*(\d+))?\s+(\d+)\s*\*\/$/.exec(line) ?? [];
    if (declared !== undefined) {
      const name = /\(\*(\w+)\)/.exec(declared)?.[1] ?? /(\w*)(?:\[\d*\])*(?::\d+)?;$/.exec(declared)?.[1] ?? '';
      members.push({
        name,
        offset: Number(offset),
        size: Number(size),
        ...(bit !== undefined && { bit: Number(bit) }),
      });
    }
    const hole = /XXX (\d+) (bytes?|bits?) hole/.exec(line);
    if (hole !== null) (hole[2].startsWith('byte') ? holes : bitHoles).push(Number(hole[1]));
    const boundary = /--- cacheline (\d+) boundary \(\d+ bytes\)(?: was (\d+) bytes ago)? ---/.exec(line);
    if (boundary !== null) boundaries.push([Number(boundary[1]), Number(boundary[2] ?? 0)]);
    if (/^\t\/\* (size|sum|padding|bit_padding)/.test(line))
      for (const [, key, value] of line.matchAll(/([a-z_ ]+): (\d+)/g)) facts[key.trim()] = Number(value);
  }
  return { members, holes, bitHoles, boundaries, facts };
}
