// What `dprof what-if` says of a change, beside the program with the change made in its source, recorded anew: every
// count of misses, at each level and of each class, of every type and field.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { atLength } from '../at-length.js';
import { hasAvx2 } from '../../bench/callgrind.js';
import { outputOf, runDprof } from '../cli/command-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAMS = join(ROOT, 'test/what-if/programs');
const FOLDER = mkdtempSync(join(tmpdir(), 'dprof-what-if-'));
const SMALL_CACHES = ['--l1', '4K/4', '--l2', '16K/8', '--llc', '64K/16'];

/** Both programs have paths of one length: these lie on the stack. */
function recorded(source: string, flags: readonly string[]): string {
  const folder = join(FOLDER, `${source}-${flags.length}`);
  mkdirSync(folder);
  const program = join(folder, 'program');
  const compiler = join(ROOT, source.endsWith('.cc') ? 'bin/dprof-c++' : 'bin/dprof-cc');
  const include = join(ROOT, 'runtime/include');
  const words = ['-O1', '-g', '-I', include, ...flags, join(PROGRAMS, source), '-o', program, '-pthread'];
  execFileSync(compiler, words);
  outputOf(['record', '-o', `${program}.dptrace`, '--', program]);
  return `${program}.dptrace`;
}

interface Compared {
  readonly totals: Readonly<Record<string, unknown>>;
  readonly rows: readonly Record<string, any>[];
  readonly whatIf?: {
    readonly blocks: number;
    readonly alike: number | null;
    readonly split: number;
    readonly pointerLoads: number;
    readonly left: Readonly<Record<string, number>>;
  };
}

const comparison = (words: readonly string[]): Compared =>
  JSON.parse(outputOf([...words, '--format', 'json', ...SMALL_CACHES, '--no-cache'])) as Compared;

/** What averages over replay time weight by instructions, of which the compiler may make others for another layout. */
const OVER_TIME = ['instructions', 'averageLiveObjects', 'workingSetBytes', 'averageLifetimeInstructions'];

function withoutTime(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, one: unknown) => (OVER_TIME.includes(name) ? undefined : one)));
}

/** All of each row: references, misses by level and class, cycles, objects. */
const rowsOf = ({ rows }: Compared): string[] => rows.map((row) => JSON.stringify(withoutTime(row))).sort();

/** Each kind of change, in C and in C++. */
const SAMPLE: readonly [string, string[]][] = [
  ['list.c', ['--reorder', 'struct node: next,weight,*']],
  ['workers.c', ['--align', 'struct counter=64']],
  ['shapes.cc', ['--header', 'changed.h']],
  ['rows.c', ['--pad-rows', 'grid/1024=+64', '--pad-rows', 'cells=+64']],
  ['narrow.c', ['--narrow', 'struct record.kind=1', '--narrow', 'struct record.weight=2']],
  ['aligned.c', ['--align', 'struct counters.right=64']],
  ['bits.c', ['--reorder', 'struct sample: sum,level,count,kind,flags']],
  ['split.c', ['--split', 'struct particle: position,speed | *']],
  ['blocks.cc', ['--pad', 'node=+24']],
  ['packed.c', ['--pad', 'struct part=+40']],
  ['copies.c', ['--per-thread', 'struct statistics: count,sum']],
  ['grouped-fields.c', ['--group', 'config.limit,state.hits,state.misses,sum']],
  ['nest.c', ['--interchange', 'nest.c:24', '--interchange', 'nest.c:26', '--interchange', 'nest.c:28']],
];
/** The same kinds, of other programs. */
const OTHERS: readonly [string, string[]][] = [
  ['records.c', ['--reorder', 'struct record: key,next,*']],
  ['holders.c', ['--reorder', 'struct item: value,*']],
  ['inside.c', ['--reorder', 'struct inner: first,last,*']],
  ['vector.c', ['--reorder', 'struct entry: value,key,*', '--reorder', 'struct text: length,kind,flag,bytes']],
  ['parts.c', ['--reorder', 'struct node: next,word,*']],
  ['variables.c', ['--align', 'left=64', '--align', 'right=64']],
  ['heads.c', ['--reorder', 'struct table: next,kind,mark,slots,link,*', '--reorder', 'struct named: label,uses,*']],
  ['strings.cc', ['--reorder', 'record: key,value,*']],
  ['turns.c', ['--pad', 'struct node=+40']],
  ['nested.c', ['--reorder', 'struct holder: part,sum,*']],
  ['behind.c', ['--pad', 'struct head=+20']],
  ['grouped.c', ['--group', 'count,sum,largest']],
];

describe.each(atLength(SAMPLE, [...SAMPLE, ...OTHERS]))('%s', (source, options) => {
  const change = options.map((word) => (word === 'changed.h' ? join(FOLDER, word) : word));
  if (options.includes('changed.h'))
    writeFileSync(join(FOLDER, 'changed.h'), `#define CHANGED\n#include "${join(PROGRAMS, 'shapes.h')}"\n`);
  const before = recorded(source, []);
  const after = recorded(source, ['-DCHANGED']);

  test('as recorded anew', () => {
    const [made, foretold] = [comparison(['diff', before, after]), comparison(['what-if', before, ...change])];
    if (options.includes('--split') || options.includes('--per-thread') || source === 'grouped-fields.c') {
      // In the source the fields of a cold part are another struct's, and it is an object, as each thread's copy is.
      const counted = ({ totals: { references, levels, missLatencyCycles } }: Compared): unknown[] => [
        references,
        levels,
        missLatencyCycles,
      ];
      expect(counted(foretold)).toEqual(counted(made));
    } else {
      expect(withoutTime(foretold.totals)).toEqual(withoutTime(made.totals));
      expect(rowsOf(foretold)).toEqual(rowsOf(made));
    }
    expect([foretold.whatIf!.blocks, null]).toContain(foretold.whatIf!.alike);
  });
});

test('what cannot grow where it is stays as large as it was', () => {
  const change = ['what-if', recorded('left.c', []), '--pad', 'struct pair=+8'];
  const { status, stderr } = runDprof(change);
  expect(stderr).toContain('struct pair: no object of it could be laid out anew, so nothing would change');
  expect(stderr).toMatch(/hint: .*1 object thread-local, and would not fit/);
  expect(status).toBe(2);
  const { totals, whatIf } = comparison([...change, '--allocator', 'glibc']);
  expect(whatIf!.left).toEqual({
    'thread-local, and would not fit': 1,
    'on a stack, where they would not fit': 1,
  });
  const changes = JSON.stringify(totals).match(/"change":[^,}]*/g);
  expect(new Set(changes)).toEqual(new Set(['"change":0']));
});

test.runIf(hasAvx2)('each lane of a vector follows the pointer to its own cold part', () => {
  const { whatIf } = comparison(['what-if', recorded('lanes.c', ['-mavx2']), '--split', 'struct record: key | *']);
  expect(whatIf!.pointerLoads).toBe(4000 * (4 + 1));
});
