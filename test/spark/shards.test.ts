// A replay in shards on a cluster of Spark has the bytes of one replay, also if a worker dies in the middle.

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_AT_LENGTH } from '../at-length.js';
import { outputOf } from '../cli/command-client.js';
import { recordOrders } from '../recorded/orders.js';
import { environment, hasSpark, python, ROOT } from './pyspark.js';
import { kill, StandaloneCluster, tasksDone, waitUntil } from './standalone-cluster.js';

const SHARDS = 40;
const MOST_MS = 400_000;

const folder = mkdtempSync(join(tmpdir(), 'dprof-spark-shards-'));
const at = (name: string): string => join(folder, name);
const trace = at('orders.dptrace');

interface Ended {
  readonly status: number | null;
  readonly stderr: string;
}

/** Of `profile`. */
function replay(profile: string, master: string, dprof: string, ...words: string[]) {
  const asked = ['-m', 'dprof_spark.replay', trace, '-o', profile, '--master', master, '--dprof', dprof];
  const options = { env: environment(), timeout: MOST_MS, killSignal: 'SIGKILL' as const };
  const job = spawn(python, [...asked, '--shards', String(SHARDS), ...words], options);
  let stderr = '';
  job.stderr.on('data', (text: Buffer) => void (stderr += text.toString()));
  const ended = new Promise<Ended>((resolve) => job.on('close', (status) => resolve({ status, stderr })));
  return { ended, hasEnded: () => job.exitCode !== null };
}

describe.runIf(hasSpark && IS_AT_LENGTH)('shards as tasks', () => {
  let cluster: StandaloneCluster;
  beforeAll(async () => {
    recordOrders(folder);
    outputOf(['replay', trace, '-o', at('whole.dprofile'), '--cores', '2', '--schedule', 'random:3']);
    cluster = await StandaloneCluster.start(folder);
  });
  afterAll(() => {
    cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a worker dies in the middle: the same bytes', async () => {
    const [first, second] = cluster.workers;
    const flags = ['--ship', '--', '--cores', '2', '--schedule', 'random:3'];
    const job = replay(at('joined.dprofile'), cluster.url, join(ROOT, 'bin/dprof'), ...flags);
    await waitUntil(
      () => job.hasEnded() || tasksDone(second) > 1,
      () => readFileSync(second.log, 'utf8'),
    );
    expect(job.hasEnded()).toBe(false);
    kill(second);
    const atDeath = tasksDone(first);
    const { status, stderr } = await job.ended;
    expect(status, stderr).toBe(0);
    expect(tasksDone(first)).toBeGreaterThan(atDeath + 1);
    expect(Buffer.compare(readFileSync(at('joined.dprofile')), readFileSync(at('whole.dprofile')))).toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith('.shards-'))).toEqual([]);
  });

  test('an executor without dprof, and what cannot be sharded', async () => {
    const refused = async (...words: readonly [dprof: string, ...flags: string[]]): Promise<unknown> => {
      const [dprof, ...flags] = words;
      const { status, stderr } = await replay(at('none'), 'local[2]', dprof, ...flags).ended;
      return [status, stderr.split('\n').filter((line) => line.startsWith('dprof_spark: '))];
    };
    expect(await refused('/nowhere/dprof')).toEqual([
      1,
      ['dprof_spark: /nowhere/dprof does not run: No such file or directory'],
    ]);
    expect(await refused(join(ROOT, 'bin/dprof'), '--', '--machine', 'zen3')).toEqual([
      1,
      ['dprof_spark: a shard cannot be exact on zen3: its prefetchers fetch lines of other shards'],
    ]);
    expect(readdirSync(folder).filter((name) => name === 'none' || name.startsWith('.shards-'))).toEqual([]);
  });
});
