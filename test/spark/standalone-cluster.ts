// Stage: test. A master and two workers of Spark on this machine, as processes of their own. Each worker is a group of
// processes with its executors, so that they end together.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment, python } from './pyspark.js';

/** For what hangs. */
const MOST_WAIT_MS = 120_000;
/** For what nobody stops, because the tests were killed. */
const MOST_LIFE_S = '1200';

interface Started {
  readonly process: ChildProcess;
  readonly log: string;
}

export interface Worker extends Started {
  /** Where its executors write. */
  readonly folder: string;
}

export class StandaloneCluster {
  private constructor(
    readonly url: string,
    private readonly master: Started,
    readonly workers: readonly Worker[],
  ) {}

  static async start(folder: string): Promise<StandaloneCluster> {
    const master = launch(folder, 'master', ['master.Master', '--port', '0']);
    const workers: Worker[] = [];
    try {
      const [url] = await waitFor(master, /spark:\/\/127\.0\.0\.1:\d+/);
      for (const name of ['first', 'second']) {
        const own = join(folder, name);
        const words = ['worker.Worker', '--cores', '1', '--memory', '1g', '--work-dir', own, url];
        workers.push({ ...launch(folder, name, words), folder: own });
      }
      for (const worker of workers) await waitFor(worker, /Successfully registered with master/);
      return new StandaloneCluster(url, master, workers);
    } catch (error) {
      for (const one of [...workers, master]) kill(one);
      throw error;
    }
  }

  stop(): void {
    for (const one of [...this.workers, this.master]) kill(one);
  }
}

/** The worker and its executors, at once. */
export function kill({ process: { pid } }: Started): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/** Tasks that the worker's executors have done. */
export function tasksDone({ folder }: Worker): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('stderr'));
  return files.reduce(
    (sum, file) => sum + readFileSync(join(folder, file), 'utf8').split('Finished task').length - 1,
    0,
  );
}

export async function waitUntil(isSo: () => boolean, what: () => string): Promise<void> {
  const end = Date.now() + MOST_WAIT_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`waited for too long: ${what()}`);
    await sleep(50);
  }
}

async function waitFor({ process, log }: Started, said: RegExp): Promise<RegExpExecArray> {
  let found: RegExpExecArray | null = null;
  const text = (): string => readFileSync(log, 'utf8');
  await waitUntil(() => {
    found = said.exec(text());
    if (found === null && process.exitCode !== null) throw new Error(`it has ended: ${text()}`);
    return found !== null;
  }, text);
  return found!;
}

function launch(folder: string, name: string, [main, ...words]: string[]): Started {
  const sparkHome = execFileSync(python, ['-c', 'import pyspark; print(pyspark.__path__[0])'], {
    encoding: 'utf8',
  }).trim();
  mkdirSync(join(folder, name), { recursive: true });
  const log = join(folder, `${name}.log`);
  const output = openSync(log, 'w');
  const all = [`org.apache.spark.deploy.${main}`, '--host', '127.0.0.1', '--webui-port', '0', ...words];
  const process = spawn('timeout', [MOST_LIFE_S, join(sparkHome, 'bin/spark-class'), ...all], {
    detached: true, // a group of its own
    stdio: ['ignore', output, output],
    env: { ...environment(), SPARK_HOME: sparkHome, SPARK_DAEMON_MEMORY: '256m' },
  });
  closeSync(output);
  return { process, log };
}
