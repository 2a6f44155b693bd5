// Stage: command line. `dprof merge --shards`: all shards of a replay to the profile that one replay makes.

import { DprofError } from '../base/dprof-error.js';
import { closeObjects } from '../profile/object-source.js';
import { writeProfile } from '../profile/profile-writer.js';
import { TraceError } from '../trace/trace-error.js';
import { refuseOwnInput } from './own-input.js';
import { openFor, replayOnMachines } from './replay-trace.js';
import { readShardHeader, type ShardHeader } from './shard-file.js';
import { contentOf, versionOfDprof } from './trace-identity.js';
import { nameTraces } from './trace-source.js';

/** `traces`: where they lie now; by default where they lay. */
export async function mergeShards(
  files: readonly string[],
  traces: readonly string[] | undefined,
  output: string,
): Promise<void> {
  const headers = files.map(readShardHeader);
  const [first] = headers;
  checkShards(files, headers);
  const paths = traces ?? first.traces.map(({ path }) => path);
  checkTraces(paths, first);
  refuseOwnInput(output, [...files, ...paths]);
  const trace = { ...openFor(paths, first.request), shardFiles: files };
  const request = {
    ...first.request,
    machines: [],
    schedules: undefined,
    engine: 'native' as const,
    workers: undefined,
  };
  try {
    await replayOnMachines(trace, [first.machine], request, nameTraces(paths), async (profile) => {
      await writeProfile(profile, output);
      closeObjects(profile);
    });
  } catch (error) {
    throw ofPart(error, files);
  }
}

/** What is wrong with a part is not wrong with the trace. */
function ofPart(error: unknown, files: readonly string[]): unknown {
  if (!(error instanceof TraceError)) return error;
  const part = files.find((file) => error.message.includes(`${file}: `));
  if (part === undefined) return error;
  const message = error.message.slice(error.message.indexOf(`${part}: `));
  return new DprofError(message, 'make that part anew: dprof replay TRACE --shard I/N -o PART');
}

/** Each of one replay, once. */
function checkShards(files: readonly string[], headers: readonly ShardHeader[]): void {
  const [first] = headers;
  const { count } = first.shard;
  if (first.dprof !== versionOfDprof())
    throw new DprofError(
      `${files[0]} was made by dprof ${first.dprof}, and this is ${versionOfDprof()}`,
      'make and merge shards with one version',
    );
  const fileOf = new Map<number, string>();
  headers.forEach(({ shard, ...rest }, at) => {
    const refuse = (what: string): never => {
      throw new DprofError(`${files[at]} ${what}`, `name the ${count} parts of one replay, each once`, 2);
    };
    if (shard.count !== count) refuse(`is one of ${shard.count} shards, and ${files[0]} one of ${count}`);
    const other = (Object.keys(rest) as (keyof typeof rest)[]).find((name) => spell(rest[name]) !== spell(first[name]));
    if (other !== undefined) refuse(`is of another replay than ${files[0]}: ${DIFFERENCES[other]}`);
    const before = fileOf.get(shard.index);
    if (before !== undefined) refuse(`is the same shard as ${before}`);
    fileOf.set(shard.index, files[at]);
  });
  const missing = Array.from({ length: count }, (_, index) => index).filter((index) => !fileOf.has(index));
  if (missing.length === 0) return;
  const spelled = missing.map((index) => `${index || count}/${count}`);
  throw new DprofError(
    `${missing.length} of ${count} shards are missing: ${spelled.join(', ')}`,
    `make it: dprof replay TRACE --shard ${spelled[0]} -o PART`,
    2,
  );
}

const DIFFERENCES: Readonly<Record<keyof Omit<ShardHeader, 'shard'>, string>> = {
  dprof: 'of another version of dprof',
  traces: 'of another trace',
  machine: 'of another machine',
  request: 'under another schedule, window or flow',
};

/** Traces are the same wherever they lie. */
function spell(value: unknown): string {
  return JSON.stringify(value, (name, part: unknown) => (name === 'path' ? undefined : part));
}

function checkTraces(paths: readonly string[], { traces }: ShardHeader): void {
  if (paths.length !== traces.length)
    throw new DprofError(
      `the shards are of ${traces.length} traces, and --trace names ${paths.length}`,
      'name them in the order in which they were replayed',
      2,
    );
  paths.forEach((path, at) => {
    let content: string;
    try {
      content = contentOf(path);
    } catch (error) {
      throw new DprofError(
        `cannot read ${path} (${(error as NodeJS.ErrnoException).code}), which the shards are of`,
        'say where it lies now: --trace FILE',
      );
    }
    if (content !== traces[at].content)
      throw new DprofError(`${path} is not the trace that the shards are of`, 'say where that lies: --trace FILE');
  });
}
