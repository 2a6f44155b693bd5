// A cluster of Spark says what one machine says, also if a worker dies in the middle of the job.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_AT_LENGTH } from '../at-length.js';
import { outputOf } from '../cli/command-client.js';
import { recordOrders } from '../recorded/orders.js';
import { environment, hasSpark, parseRows, python, ROOT, withoutNull } from './pyspark.js';
import { repeatDataset } from './repeated-dataset.js';
import { kill, StandaloneCluster, tasksDone, waitUntil } from './standalone-cluster.js';

/** The run's references, so many times: the job must last until a worker is dead. */
const TIMES = 200;
const MOST_MS = 400_000;

const folder = mkdtempSync(join(tmpdir(), 'dprof-cluster-'));
const trace = join(folder, 'orders.dptrace');
const dataset = join(folder, 'orders.dataset');
const long = join(folder, 'long.dataset');

describe.runIf(hasSpark && IS_AT_LENGTH)('a master and two workers', () => {
  let cluster: StandaloneCluster;
  let expected: Record<string, unknown>[];
  beforeAll(async () => {
    recordOrders(folder);
    outputOf(['export', trace, '--to', 'dataset', '-o', dataset, '--chunk', '200K']);
    repeatDataset(dataset, TIMES, long);
    const kernel = join(ROOT, 'examples/kernels/missing-lines.ts');
    expected = withoutNull(JSON.parse(outputOf(['kernel', kernel, trace, '--format', 'json'])) as []);
    cluster = await StandaloneCluster.start(folder);
  });
  afterAll(() => {
    cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('say what the kernel says', async () => {
    const { rows, stderr } = await missingLines(cluster, dataset).ended;
    expect(rows, stderr).toEqual(expected);
    for (const worker of cluster.workers) expect(tasksDone(worker)).toBeGreaterThan(0);
  });

  test('say the same if one of them dies in the middle', async () => {
    const [first, second] = cluster.workers;
    const before = tasksDone(second);
    const job = missingLines(cluster, long);
    await waitUntil(
      () => job.hasEnded() || tasksDone(second) > before + 1,
      () => readFileSync(second.log, 'utf8'),
    );
    expect(job.hasEnded()).toBe(false);
    kill(second);
    const atDeath = tasksDone(first);
    const { rows, stderr } = await job.ended;
    const times = expected.map((row) => ({ ...row, cycles: (row.cycles as number) * TIMES }));
    expect(rows, stderr).toEqual(times);
    expect(stderr).toContain('Lost executor');
    expect(tasksDone(first)).toBeGreaterThan(atDeath + 1);
  });
});

function missingLines({ url }: StandaloneCluster, of: string) {
  const words = ['-m', 'dprof_spark', 'missing-lines', of, '--master', url];
  const job = spawn(python, words, { env: environment(), timeout: MOST_MS, killSignal: 'SIGKILL' });
  let [stdout, stderr] = ['', ''];
  job.stdout.on('data', (text) => void (stdout += text));
  job.stderr.on('data', (text) => void (stderr += text));
  const ended = new Promise<{ rows: Record<string, unknown>[]; stderr: string }>((resolve) =>
    job.on('close', () => resolve({ rows: parseRows(stdout), stderr })),
  );
  return { ended, hasEnded: () => job.exitCode !== null };
}
