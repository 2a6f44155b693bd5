// Stage: case studies. What bounds each program before its fix and after it, as `dprof report --view blocks` says: the
// table of README.md. The code's cycles are measured, on whatever machine this runs.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, SOURCES, STUDIES } from './studies.js';

interface Blocks {
  readonly cycles: { readonly compute: number; readonly wait: number };
  readonly rows: readonly {
    readonly function: string;
    readonly site: string;
    readonly executions: number;
    readonly computeCycles: number;
    readonly waitCycles: number;
    readonly bound: string;
    readonly cycles: number;
  }[];
}

const dprof = (words: readonly string[], cwd: string): string =>
  execFileSync(join(ROOT, 'bin/dprof'), words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

function blocksOf(folder: string, version: string): Blocks {
  dprof(['record', '-o', `${version}.dptrace`, '--', `./${version}`], folder);
  const words = ['report', `${version}.dptrace`, '--view', 'blocks', '--no-cache', '--format', 'json'];
  return JSON.parse(dprof(words, folder)) as Blocks;
}

function rowOf(study: string, version: string, { cycles: { compute, wait }, rows }: Blocks): string {
  const [most] = rows;
  const percent = (part: number): string => `${((100 * part) / (compute + wait)).toFixed(0)} %`;
  return [
    study,
    version,
    percent(wait),
    `\`${most.function}\`, ${most.site}`,
    percent(most.cycles),
    most.computeCycles.toFixed(1),
    most.waitCycles.toFixed(1),
    `**${most.bound}**`,
  ].join(' | ');
}

export function printBounds(): void {
  const out = mkdtempSync(join(tmpdir(), 'dprof-bounds-'));
  const make = ['-sB', '-C', SOURCES, `CC=${join(ROOT, 'bin/dprof-cc')}`, 'CFLAGS=-O2 -g -fdprof-blocks', `OUT=${out}`];
  execFileSync('make', make, { stdio: ['ignore', 'ignore', 'inherit'] });
  const head = ['study', '', 'of all time: waiting for misses', 'where it spends most', 'of all time'];
  const lines = [
    [...head, 'computing, cycles a time', 'waiting', 'bound'].join(' | '),
    Array(8).fill('---').join(' | '),
  ];
  for (const study of STUDIES)
    for (const version of ['before', 'after']) lines.push(rowOf(study, version, blocksOf(join(out, study), version)));
  process.stdout.write(lines.map((line) => `| ${line} |\n`).join(''));
  rmSync(out, { recursive: true });
}
