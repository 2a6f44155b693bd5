// Stage: test. Debian's memcached, its slabs described, under `dprof history` or `dprof record`, with load on it: what
// several scripts do.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { freePort, openWhenUp, runLoad } from './memcached-client.js';
import { DPROF, DPROF_CC, isFresh, realFolder, ROOT, run } from './real-program.js';

/** Functions that hand items out and take them back; no interposer can replace a function of the program itself. */
const SLABS = '- function: do_item_alloc_pull\n  size: 0\n  type: struct _stritem\n- function: item_free\n  frees: 0\n';

/** Ends as the program does. */
export async function watchMemcached(
  program: string,
  requestsPerConnection: number,
  command: readonly string[],
): Promise<number | null> {
  const port = await freePort();
  const user = process.getuid?.() === 0 ? ['-u', 'root'] : [];
  const memcached = [program, '-t', '4', '-l', '127.0.0.1', '-p', `${port}`, '-U', '0', ...user];
  const watched = spawn(DPROF, [...command, '--', ...memcached], { stdio: 'inherit' });
  const ended = new Promise<number | null>((done) => watched.once('close', done));
  const control = await openWhenUp(port, 400);
  // Ten keys: items are replaced soon, and so freed.
  await runLoad({ port, connections: 8, requestsPerConnection, keys: 10 });
  const pid = /^STAT pid (\d+)/m.exec(await control.request('stats\r\n', ['END\r\n'])) as RegExpExecArray;
  process.kill(Number(pid[1]), 'SIGTERM');
  return ended;
}

export function buildDescribedMemcached(): string {
  const folder = realFolder('memcached/described');
  const program = `${folder}/memcached`;
  if (!isFresh(program)) {
    const description = `${folder}/slabs.yaml`;
    writeFileSync(description, SLABS);
    process.env.DPROF_ALLOCATORS = description;
    run(['sh', `${ROOT}/test/real/build-memcached.sh`, DPROF_CC, folder]);
  }
  return program;
}
