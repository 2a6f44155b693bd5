// Stage: test. `npm run fuzz:native -- SECONDS`: the engine's decoder and replay under libFuzzer with its sanitizers,
// from a corpus of made-up runs of one program. What is found is kept in build/fuzz/found; inputs that were once found
// lie in test/fuzz/native/regressions.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { columnsOf } from '../../src/replay/native-engine.js';
import { buildCatalog } from '../../src/trace/catalog-builder.js';
import { locateColumn, unpackColumn } from '../../src/trace/column.js';
import { ChunkKind } from '../../src/trace/layout.js';
import { readTrace } from '../../src/trace/trace-reader.js';
import { writeRun } from '../random/made-up-run.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomProgram } from '../random/random-program.js';
import { randomRun } from '../random/random-trace.js';

const ROOT =
  [resolve(import.meta.dirname, '../..'), resolve(import.meta.dirname, '../../..')].find((folder) =>
    existsSync(resolve(folder, 'package.json')),
  ) ?? '.';
const SOURCE = resolve(ROOT, 'test/fuzz/native');
const BUILD = resolve(ROOT, 'build/fuzz');
const TARGET = resolve(BUILD, 'replay_fuzz');
const REGRESSIONS = resolve(SOURCE, 'regressions');
const SEEDS = 200;
const MOST_BYTES = 4096;

/** As replay_fuzz.cpp takes them. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  slots: ['kind', 'hasPath', 'sizeBytes', 'type', 'offset', 'variable', 'lanes', 'base', 'delta'],
  records: ['tag', 'flags', 'slotCount', 'words', 'instructions', 'function', 'firstSlot', 'call'],
  regions: ['pathCount', 'firstNode', 'nodeCount', 'back', 'isLoop'],
  nodes: ['firstRecord', 'recordCount', 'firstEdge', 'edgeCount', 'ends'],
  edges: ['node', 'before'],
  types: [
    'isStruct',
    'memory',
    'nameRank',
    'declared',
    'leafBase',
    'leafSpan',
    'flexibleFrom',
    'flexibleLeaf',
    'leafAt',
  ],
  variables: ['kind', 'type', 'sizeBytes'],
  globals: ['address', 'variable'],
};

/** Whether clang's own libraries for it are there (Debian: libclang-rt-19-dev). */
export const canBuildTarget = (): boolean =>
  isAbsolute(execFileSync('clang++-19', ['-print-file-name=libclang_rt.fuzzer-x86_64.a'], { encoding: 'utf8' }));

export function buildTarget(): void {
  if (!existsSync(resolve(BUILD, 'build.ninja'))) {
    execFileSync(
      'cmake',
      ['-S', SOURCE, '-B', BUILD, '-G', 'Ninja', '-DCMAKE_CXX_COMPILER=clang++-19', '-DCMAKE_BUILD_TYPE=None'],
      { stdio: 'pipe' },
    );
  }
  execFileSync('cmake', ['--build', BUILD], { stdio: 'pipe' });
}

/** The catalog of one made-up program, and runs of it as inputs. */
export function writeCorpus(): void {
  const program = randomProgram(new RandomNumbers(1));
  mkdirSync(resolve(BUILD, 'corpus'), { recursive: true });
  mkdirSync(resolve(BUILD, 'found'), { recursive: true });
  const path = resolve(BUILD, 'run.dptrace');
  for (let seed = 1; seed <= SEEDS; seed++) {
    const bytes = Buffer.from(writeRun(randomRun(seed, { actions: 1 + (seed % 12), program })));
    writeFileSync(path, bytes);
    const { chunks, modules } = readTrace(path);
    if (seed === 1)
      writeFileSync(resolve(BUILD, 'catalog'), Buffer.concat(catalogParts(columnsOf(buildCatalog(modules)))));
    const parts = chunks
      .filter(({ kind }) => kind === ChunkKind.events)
      .map(({ thread, offset, bytes: length }) => inputChunk(thread, bytes.subarray(offset, offset + length)));
    const input = Buffer.concat([Buffer.from([(seed * 11) & 255, (seed * 37) & 255]), ...parts]);
    if (input.length <= MOST_BYTES) writeFileSync(resolve(BUILD, 'corpus', `${seed}`), input);
  }
}

function catalogParts(tables: object): Buffer[] {
  const byName = tables as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const part = (column: unknown): Buffer => {
    const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT, length } = column as Uint8Array;
    return Buffer.concat([
      Buffer.from(Uint32Array.of(BYTES_PER_ELEMENT, length).buffer),
      Buffer.from(buffer, byteOffset, byteLength),
    ]);
  };
  return [
    ...Object.entries(COLUMNS).flatMap(([table, names]) => names.map((name) => part(byName[table][name]))),
    part(byName.unitFirstVariable),
  ];
}

function inputChunk(thread: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head[0] = thread;
  head.writeUInt16LE(payload.readUInt32LE(0), 2);
  head.writeUInt16LE(payload.readUInt32LE(4), 4);
  const columns: Uint8Array[] = [];
  for (let at = 8; at < payload.length; ) {
    const { stored, next } = locateColumn(payload, at, 0);
    columns.push(Uint8Array.from(unpackColumn(stored, 0)));
    head.writeUInt16LE(columns[columns.length - 1].length, 4 + 2 * columns.length);
    at = next;
  }
  return Buffer.concat([head, ...columns]);
}

/**
 * libFuzzer's output, and whether it found nothing. Seconds 0: only the corpus and the inputs that were once found.
 */
export function runTarget(seconds: number): { readonly status: number | null; readonly said: string } {
  const limits = [
    '-timeout=10',
    '-rss_limit_mb=2048',
    '-malloc_limit_mb=1024',
    `-max_len=${MOST_BYTES}`,
    `-artifact_prefix=${resolve(BUILD, 'found')}/`,
    '-print_final_stats=1',
  ];
  const folders = [resolve(BUILD, 'corpus'), ...(existsSync(REGRESSIONS) ? [REGRESSIONS] : [])];
  const how = seconds > 0 ? [`-max_total_time=${seconds}`] : ['-runs=0'];
  const environment = {
    ...process.env,
    DPROF_FUZZ_CATALOG: resolve(BUILD, 'catalog'),
    ASAN_OPTIONS: 'allocator_may_return_null=0:detect_leaks=1',
  };
  const { status, stderr } = spawnSync(TARGET, [...limits, ...how, ...folders], {
    encoding: 'utf8',
    env: environment,
    maxBuffer: 1 << 28,
  });
  return { status, said: stderr };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const seconds = Number(process.argv[2] ?? 60);
  if (!(seconds >= 0)) throw new Error(`${process.argv[2]} is no number of seconds`);
  buildTarget();
  writeCorpus();
  const { status, said } = runTarget(seconds);
  process.stdout.write(said.split('\n').slice(-60).join('\n'));
  process.stdout.write(
    status === 0
      ? 'native fuzzing: nothing found\n'
      : `native fuzzing: FOUND something (status ${status}); the input lies in build/fuzz/found\n`,
  );
  process.exitCode = status === 0 ? 0 : 1;
}
