// Stage: test. Programs of which it is known what to change: the classics, and the examples.

import { join, parse, resolve } from 'node:path';
import { DPROF, run } from './real-program.js';

export interface Advised {
  /** Below test/real/classics, or examples. */
  readonly source: string;
  readonly kind: string;
  readonly type: string;
  /** How the options of the first finding's change begin; null: no layout helps, it is advice in words. */
  readonly options: readonly string[] | null;
  readonly origin?: 'allocator';
  /** With -DFIXED the change is made in the source. */
  readonly isFixable: boolean;
  /** In `npm test` too. */
  readonly isSample?: boolean;
}

const CLASSICS: readonly Omit<Advised, 'isFixable'>[] = [
  { source: 'adi.c', kind: 'conflict', type: 'double[]', options: ['--pad-rows', 'u/8192'] },
  { source: 'srad.c', kind: 'conflict', type: 'float[]', options: ['--pad-rows', 'image/4096'] },
  { source: 'needleman_wunsch.c', kind: 'conflict', type: 'int[]', options: ['--pad-rows', 'items/8196'] },
  { source: 'himeno.c', kind: 'conflict', type: 'grid', options: ['--pad', 'grid=+'] },
  { source: 'stencil3d.c', kind: 'conflict', type: 'float[]', options: ['--pad-rows', 'before/65536'] },
  { source: 'stencil27.c', kind: 'conflict', type: 'double[]', options: ['--pad-rows', 'diagonals/262144'] },
  {
    source: 'linear_regression.c',
    kind: 'false-sharing',
    type: 'struct regression',
    options: ['--align', 'struct regression=64'],
  },
  { source: 'histogram.c', kind: 'false-sharing', type: 'struct part', options: ['--align', 'struct part=64'] },
  {
    source: 'clustering.c',
    kind: 'false-sharing',
    type: 'double[]',
    options: ['--pad-rows', 'work_mem/16=+48'],
    isSample: true,
  },
  {
    source: 'cache_scratch.c',
    kind: 'false-sharing',
    type: 'struct counter',
    options: ['--align', 'struct counter=64'],
    origin: 'allocator',
    isSample: true,
  },
  {
    source: 'stl_tree.cpp',
    kind: 'unused-bytes',
    type: 'std::_Rb_tree_node<std::pair<const unsigned int, unsigned int>>',
    options: null,
  },
  { source: 'annealing.cpp', kind: 'unused-bytes', type: 'element', options: ['--split', 'element: present | *'] },
];

const EXAMPLES: readonly Omit<Advised, 'isFixable'>[] = [
  {
    source: 'false-sharing.c',
    kind: 'false-sharing',
    type: 'struct counters',
    options: ['--align', 'struct counters.'],
  },
  {
    source: 'true-sharing.c',
    kind: 'true-sharing',
    type: 'struct statistics',
    options: ['--per-thread', 'struct statistics: requests'],
  },
  { source: 'producer-consumer.c', kind: 'true-sharing', type: 'struct message', options: null },
  { source: 'locked-queue.c', kind: 'cold-sharing', type: 'struct task', options: ['--split', 'struct task: '] },
  {
    source: 'conflict.c',
    kind: 'conflict',
    type: 'struct cell',
    options: ['--pad-rows', 'grid/4096=+64'],
    isSample: true,
  },
  { source: 'matmul-160.c', kind: 'conflict', type: 'double[]', options: ['--pad-rows', 'right/1280=+64'] },
  { source: 'capacity.c', kind: 'unused-bytes', type: 'struct node', options: ['--split', 'struct node: '] },
];

export const ADVISED: readonly Advised[] = [
  ...CLASSICS.map((one) => ({ ...one, source: join('test/real/classics', one.source), isFixable: true })),
  ...EXAMPLES.map((one) => ({
    ...one,
    source: join('examples', parse(one.source).name, one.source),
    isFixable: false,
  })),
];

/** The trace of the program, made in the folder. */
export function recordAdvised({ source }: Advised, folder: string, ...flags: readonly string[]): string {
  const { name, ext } = parse(source);
  const root = resolve(DPROF, '../..');
  const program = join(folder, `${name}${flags.join('')}`);
  const compiler = resolve(DPROF, '..', ext === '.cpp' ? 'dprof-c++' : 'dprof-cc');
  run([compiler, '-O2', '-g', '-pthread', ...flags, join(root, source), '-o', program, '-lm']);
  run([DPROF, 'record', '-o', `${program}.dptrace`, '--', program]);
  return `${program}.dptrace`;
}

export interface AdviceRead {
  readonly cycles: number;
  readonly tried: number;
  readonly findings: readonly {
    readonly kind: string;
    readonly type: string;
    readonly name: string | null;
    readonly origin: string;
    readonly cacheperfRule: { readonly class: string | null; readonly origin: string | null };
    readonly cyclesShare: number;
    readonly advice: string | null;
    readonly change: { readonly text: string; readonly options: readonly string[] } | null;
    readonly predicted: {
      readonly cycles: { readonly before: number; readonly after: number };
      readonly misses: Readonly<Record<'l1' | 'l2' | 'llc', { readonly before: number; readonly after: number }>>;
      readonly runTime?: { readonly before: number; readonly after: number };
    } | null;
  }[];
  readonly left: { readonly count: number; readonly largestShare: number };
}

export function readAdvice(trace: string): AdviceRead {
  return JSON.parse(run([DPROF, 'advise', trace, '--format', 'json'])) as AdviceRead;
}
