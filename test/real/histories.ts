// Stage: test. Debian's memcached under `dprof history`, its slabs described: items are watched from allocation to free on every worker, no element is
// lost, and what was taken is printed as DProf's tables 10, 11, 13, 14 and figure 4 do. Run as `node dist/test/real/histories.js [single|pairwise]`.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readHistories } from '../../src/histories/histories-reader.js';
import { viewHistories } from '../../src/histories/history-view.js';
import { MemcachedConnection, runLoad } from './memcached-client.js';
import { conclude, DPROF, DPROF_CC, isFresh, realFolder, ROOT, run, scratchFolder } from './real-program.js';

/** What hands items out and takes them back; nobody stands in front of a function of the program itself. */
const SLABS = '- function: do_item_alloc_pull\n  size: 0\n  type: struct _stritem\n- function: item_free\n  frees: 0\n';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

async function openWhenUp(port: number): Promise<MemcachedConnection> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await MemcachedConnection.open(port);
    } catch (error) {
      if (attempt === 400) throw error;
      await sleep(50);
    }
  }
}

async function takeItems(program: string, file: string, cover: string): Promise<number | null> {
  const port = await freePort();
  const user = process.getuid?.() === 0 ? ['-u', 'root'] : [];
  const memcached = [program, '-t', '4', '-l', '127.0.0.1', '-p', `${port}`, '-U', '0', ...user];
  const history = spawn(DPROF, ['history', '--quiet', '-o', file, '--type', 'struct _stritem', '--cover', cover, '--one-in', '2', '--', ...memcached], { stdio: 'inherit' });
  const ended = new Promise<number | null>((done) => history.once('close', done));
  const control = await openWhenUp(port);
  // Ten keys: items are replaced soon, and so freed.
  await runLoad({ port, connections: 8, requestsPerConnection: 6000, keys: 10 });
  const pid = /^STAT pid (\d+)/m.exec(await control.request('stats\r\n', ['END\r\n'])) as RegExpExecArray;
  process.kill(Number(pid[1]), 'SIGTERM');
  return ended;
}

const folder = realFolder('memcached/described');
const program = `${folder}/memcached`;
if (!isFresh(program)) {
  const description = `${folder}/slabs.yaml`;
  writeFileSync(description, SLABS);
  process.env.DPROF_ALLOCATORS = description;
  run(['sh', `${ROOT}/test/real/build-memcached.sh`, DPROF_CC, folder]);
}
const faults: string[] = [];
for (const cover of process.argv.length > 2 ? process.argv.slice(2) : ['single', 'pairwise']) {
  const file = `${scratchFolder()}/items.dphistories`;
  const status = await takeItems(program, file, cover);
  if (status !== 0) faults.push(`${cover}: ended with status ${status}`);
  const view = viewHistories(readHistories(file));
  const [items] = view.collection;
  process.stdout.write(run([DPROF, 'report', file, '--top', '1']));
  if (items?.type !== 'struct _stritem' || items.bytes !== 48) faults.push(`${cover}: the type is ${items?.type}, of ${items?.bytes} bytes`);
  if (view.endings.free < 50) faults.push(`${cover}: ${view.endings.free} histories from allocation to free`);
  if (view.lost === null || Object.values(view.lost).some((count) => count > 0)) faults.push(`${cover}: lost ${JSON.stringify(view.lost)}`);
  const functions = new Set(view.rows.flatMap(({ steps }) => steps.map((step) => step.function)));
  for (const name of ['do_item_alloc', 'do_item_link', 'do_item_get', 'do_item_unlink']) if (!functions.has(name)) faults.push(`${cover}: no path comes through ${name}`);
}
conclude('histories', faults);
