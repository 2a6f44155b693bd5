// Stage: test. pycachesim (PyPI), a cache simulator that no one here wrote: fetched by name into build/real, and run on
// a dumped trace.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { DPROF, ROOT } from './real-program.js';

const PACKAGE = 'pycachesim==0.3.1';
const SITE = resolve(ROOT, 'build/real/pycachesim');
const DRIVER = resolve(ROOT, 'test/real/independent_cache.py');
const ENVIRONMENT = { ...process.env, PYTHONPATH: SITE };

export interface Geometry {
  readonly line: number;
  /** As on the command line. */
  readonly l1: string;
  readonly l2: string;
  readonly llc: string;
}

export const GEOMETRIES: readonly Geometry[] = [
  { line: 64, l1: '32K/8', l2: '1M/16', llc: '32M/16' },
  { line: 64, l1: '4K/1', l2: '64K/4', llc: '1M/8' },
  { line: 32, l1: '1K/2', l2: '16K/2', llc: '128K/16' },
  { line: 128, l1: '64K/2', l2: '512K/16', llc: '2M/32' },
  { line: 64, l1: '2K/32', l2: '8K/8', llc: '64K/16' },
];

export interface LevelCounts {
  readonly hits: number;
  readonly misses: number;
}

export const isSimulatorThere = (): boolean =>
  spawnSync('python3', ['-c', 'import cachesim'], { env: ENVIRONMENT }).status === 0;

export function fetchSimulator(): void {
  if (isSimulatorThere()) return;
  mkdirSync(SITE, { recursive: true });
  execFileSync('python3', ['-m', 'pip', 'install', '--quiet', '--target', SITE, PACKAGE], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function flagsOf({ line, l1, l2, llc }: Geometry): string[] {
  return ['--cores', '1', '--line', `${line}`, '--l1', l1, '--l2', l2, '--llc', llc];
}

function shapeOf({ line, l1, l2, llc }: Geometry): string[] {
  return [l1, l2, llc].flatMap((text) => {
    const [, size, unit, ways] = /^(\d+)([KM])\/(\d+)$/.exec(text) ?? [];
    return [(Number(size) * (unit === 'K' ? 1 << 10 : 1 << 20)) / line / Number(ways), Number(ways)].map(String);
  });
}

/** Counts all references of the trace, on one core. */
export function countIndependently(trace: string, geometry: Geometry): LevelCounts[] {
  if (!existsSync(trace)) throw new Error(`${trace} is not there`);
  const command = '"$0" dump "$1" --references --lackey --cores 1 --line "$2" | { shift 2; python3 "$@"; }';
  const said = execFileSync(
    'sh',
    ['-c', command, DPROF, trace, `${geometry.line}`, DRIVER, `${geometry.line}`, ...shapeOf(geometry)],
    { encoding: 'utf8', env: ENVIRONMENT },
  );
  return JSON.parse(said) as LevelCounts[];
}

export function countHere(trace: string, geometry: Geometry): LevelCounts[] {
  const said = execFileSync(
    DPROF,
    ['report', trace, '--view', 'data-profile', '--format', 'json', ...flagsOf(geometry)],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  const { levels } = (JSON.parse(said) as { totals: { levels: Record<string, LevelCounts> } }).totals;
  return ['l1', 'l2', 'llc'].map((level) => ({ hits: levels[level].hits, misses: levels[level].misses }));
}
