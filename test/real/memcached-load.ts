// Stage: test. memcached with four workers under a load that is the same in every run, recorded.
import { spawn } from 'node:child_process';
import { freePort, openWhenUp, runLoad } from './memcached-client.js';
import { DPROF, DPROF_CC, isFresh, realFolder, ROOT, run } from './real-program.js';

export const WORKERS = 4;

/** The instrumented program. */
export function buildMemcached(): string {
  const folder = realFolder('memcached/instrumented');
  const program = `${folder}/memcached`;
  if (!isFresh(program)) run(['sh', `${ROOT}/test/real/build-memcached.sh`, DPROF_CC, folder]);
  return program;
}

/**
 * Status of `dprof record`, after memcached was told to end, and how many gets found their key. `requests`: of each
 * connection; one connection for each worker, so that every worker's requests come in the same order in every run.
 */
export async function recordLoad(
  program: string,
  trace: string,
  cpuList: string,
  requests: number,
  { workers = WORKERS, keys = 500 } = {},
): Promise<{ status: number | null; hits: number }> {
  const port = await freePort();
  const user = process.getuid?.() === 0 ? ['-u', 'root'] : [];
  // Without the threads that wake by the clock: how much they do differs from run to run, whatever the number of CPUs.
  const timed = ['-o', 'no_lru_crawler,no_lru_maintainer,no_hashexpand'];
  const memcached = [program, ...timed, '-t', `${workers}`, '-l', '127.0.0.1', '-p', `${port}`, '-U', '0', ...user];
  const words = [DPROF, 'record', '--quiet', '-o', trace, '--', ...memcached];
  const recorder = spawn('taskset', ['-c', cpuList, ...words], { stdio: 'inherit' });
  const ended = new Promise<number | null>((done) => recorder.once('close', done));
  const control = await openWhenUp(port, 200);
  const hits = await runLoad({ port, connections: workers, requestsPerConnection: requests, keys });
  const pid = /^STAT pid (\d+)/m.exec(await control.request('stats\r\n', ['END\r\n'])) as RegExpExecArray;
  process.kill(Number(pid[1]), 'SIGTERM');
  return { status: await ended, hits };
}
