// Stage: test. The real programs that are changed, and how.

import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { allocatedBy, reordered, type ChangedProgram } from './changed-programs.js';
import { FANN_VALUES } from './fann-values.js';
import { moduleGraph } from './module-graph.js';
import { byScript, DPROF_CC, ROOT, type Build } from './real-program.js';
import { loadRedis } from './redis-load.js';
import { sqliteWorkload } from './sqlite-workload.js';
import { svmData } from './svm-data.js';

function written(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function inCpp(build: Build): Build {
  const compilerOf = (compiler: string): string =>
    compiler === DPROF_CC ? resolve(ROOT, 'bin/dprof-c++') : 'clang++-19';
  return (compiler, program, flags) => build(compilerOf(compiler), program, flags);
}

/** Its strings are hashed by the clock and by addresses; here by one seed. */
const LUA_FLAGS = ['-g', '-Dluai_makeseed(L)=1'];

export const CHANGED: readonly ChangedProgram[] = [
  {
    name: 'dot',
    source: 'graphviz',
    build: byScript('build-graphviz.sh'),
    flags: ['-g'],
    words: (folder) => ['-Kdot', '-Tplain', '-o', '/dev/null', written(folder, 'modules.dot', moduleGraph(300))],
    long: (folder) => ['-Kdot', '-Tplain', '-o', '/dev/null', written(folder, 'more.dot', moduleGraph(1000))],
    changes: [
      reordered(
        'struct Agnodeinfo_t',
        'hdr,rank,low,lim,par,in,out,tree_in,tree_out,mark,*',
        'source/lib/common/types.h',
        'typedef struct Agnodeinfo_t {',
      ),
    ],
  },
  {
    name: 'lua',
    source: 'lua5.4',
    build: byScript('build-lua.sh'),
    flags: LUA_FLAGS,
    words: () => [resolve(ROOT, 'test/real/programs/records.lua'), '20000', '60000'],
    long: () => [resolve(ROOT, 'test/real/programs/records.lua'), '200000', '600000'],
    changes: [
      reordered(
        'struct Table',
        'next,tt,marked,flags,lsizenode,alimit,node,array,metatable,lastfree,*',
        'source/src/lobject.h',
        'typedef struct Table {',
        'CommonHeader,flags,lsizenode,alimit,node,array,metatable,lastfree,*',
      ),
      allocatedBy('mimalloc'),
    ],
  },
  {
    name: 'redis',
    source: 'redis',
    build: byScript('build-redis.sh'),
    flags: ['-g'],
    words: () => [],
    drive: (command) => loadRedis(command, { keys: 20_000, lookups: 20_000 }),
    changes: [allocatedBy('jemalloc')],
  },
  {
    name: 'sqlite',
    source: 'sqlite3',
    build: byScript('build-sqlite.sh'),
    flags: ['-g'],
    words: (folder) => [':memory:', `.read ${written(folder, 'workload.sql', sqliteWorkload(10_000))}`],
    changes: [allocatedBy('jemalloc')],
  },
  {
    name: 'leveldb',
    source: 'leveldb',
    build: inCpp(byScript('build-leveldb.sh')),
    flags: ['-g'],
    words: (folder) => [
      '--benchmarks=fillrandom,readrandom',
      '--num=30000',
      '--write_buffer_size=67108864',
      `--db=${join(folder, 'db')}`,
    ],
    changes: [allocatedBy('tcmalloc')],
  },
  {
    name: 'fann',
    source: 'libfann',
    build: byScript('build-fann.sh', resolve(ROOT, 'test/real/programs/words.c')),
    flags: ['-g'],
    words: () => ['4000', '32', '40'],
    long: () => ['4000', '32', '1000'],
    changes: [{ options: ['--split', 'struct fann_neuron: value | *'], edits: FANN_VALUES }],
  },
  {
    name: 'svm-train',
    source: 'libsvm',
    build: inCpp(byScript('build-libsvm.sh')),
    flags: ['-g'],
    words: (folder) => ['-q', written(folder, 'data', svmData(250, 400)), '/dev/null'],
    long: (folder) => ['-q', written(folder, 'more', svmData(1200, 800)), '/dev/null'],
    changes: [
      {
        options: ['--narrow', 'svm_node.value=4'],
        edits: [{ file: 'source/svm.h', change: (text) => text.replace('double value;', 'float value;') }],
      },
    ],
  },
  {
    name: 'zstd',
    source: 'libzstd',
    build: byScript('build-zstd.sh', resolve(ROOT, 'bench/programs/compress.c')),
    flags: ['-g'],
    words: () => ['0.5'],
    changes: [allocatedBy('jemalloc')],
  },
];
