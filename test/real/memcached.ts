// Stage: test. memcached with four workers, driven over loopback and stopped by SIGTERM: its trace is whole and its
// profile names its types; recorded on one CPU and on two, each type has the same leading class or is marked
// order-bound. Run as `node dist/test/real/memcached.js`.
import { execFileSync, spawn } from 'node:child_process';
import {
  conclude,
  DPROF,
  DPROF_CC,
  findFaults,
  formatTopTypes,
  isFresh,
  readDataProfile,
  realFolder,
  ROOT,
  run,
  scratchFolder,
} from './real-program.js';
import { freePort, openWhenUp, runLoad } from './memcached-client.js';

const EXPECTED_TYPES = ['struct _stritem', 'struct conn', 'LIBEVENT_THREAD'];
const WORKERS = 4;

/** Status of `dprof record`, after memcached was told to end. */
async function recordLoad(program: string, trace: string, cpuList: string): Promise<number | null> {
  const port = await freePort();
  const user = process.getuid?.() === 0 ? ['-u', 'root'] : [];
  // Without the threads that wake by the clock: how much they do differs from run to run, whatever the number of CPUs.
  const timed = ['-o', 'no_lru_crawler,no_lru_maintainer,no_hashexpand'];
  const memcached = [program, ...timed, '-t', `${WORKERS}`, '-l', '127.0.0.1', '-p', `${port}`, '-U', '0', ...user];
  const recorder = spawn('taskset', ['-c', cpuList, DPROF, 'record', '-o', trace, '--', ...memcached], {
    stdio: 'inherit',
  });
  const ended = new Promise<number | null>((done) => recorder.once('close', done));
  const control = await openWhenUp(port, 200);
  // One connection for each worker, so that every worker's requests come in the same order in every run.
  const hits = await runLoad({ port, connections: WORKERS, requestsPerConnection: 4000, keys: 500 });
  process.stdout.write(`memcached on CPUs ${cpuList}: 16000 requests, ${hits} gets found their key\n`);
  const pid = /^STAT pid (\d+)/m.exec(await control.request('stats\r\n', ['END\r\n'])) as RegExpExecArray;
  process.kill(Number(pid[1]), 'SIGTERM');
  return ended;
}

type Classes = Readonly<Record<string, number>>;

function classesByType(trace: string): Map<string, Classes> {
  const text = execFileSync(DPROF, ['report', trace, '--view', 'miss-classification', '--format', 'json'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const rows = JSON.parse(text).rows as {
    type: string;
    field: string | null;
    levels: { l1: { misses: number; classes: Classes } };
  }[];
  return new Map(
    rows
      .filter((row) => row.field === null && row.levels.l1.misses > 0)
      .map(({ type, levels }) => [type, levels.l1.classes]),
  );
}

function leading(classes: Classes): string {
  return Object.entries(classes).reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

const program = `${realFolder('memcached/instrumented')}/memcached`;
if (!isFresh(program))
  run(['sh', `${ROOT}/test/real/build-memcached.sh`, DPROF_CC, realFolder('memcached/instrumented')]);

const folder = scratchFolder();
const faults: string[] = [];
const found: { classes: Map<string, Classes>; bound: Map<string, boolean> }[] = [];
for (const cpuList of ['0,1', '0']) {
  const trace = `${folder}/memcached-${cpuList}.dptrace`;
  const status = await recordLoad(program, trace, cpuList);
  if (status !== 0) faults.push(`on CPUs ${cpuList} the recording ended with status ${status}`);
  const profile = readDataProfile(trace);
  process.stdout.write(
    `${profile.totals.references} references, ${profile.totals.levels.l1.misses} L1 misses\n` +
      `${formatTopTypes(profile, 12)}\n`,
  );
  faults.push(...findFaults(profile, EXPECTED_TYPES).map((fault) => `on CPUs ${cpuList} ${fault}`));
  found.push({
    classes: classesByType(trace),
    bound: new Map(profile.rows.map((row) => [row.type, row.orderBound === true])),
  });
}
const [two, one] = found;
for (const [type, classes] of two.classes) {
  const other = one.classes.get(type);
  if (other && leading(other) !== leading(classes) && !(two.bound.get(type) && one.bound.get(type)))
    faults.push(
      `${type}: ${JSON.stringify(classes)} on two CPUs, ${JSON.stringify(other)} on one, and not marked order-bound`,
    );
}
conclude('memcached', faults);
