// Stage: test. memcached with four workers, driven over loopback and stopped by SIGTERM: its trace is whole and its
// profile names its types; recorded on one CPU and on two, each type has the same leading class or is marked
// order-bound. Run as `node dist/test/real/memcached.js`.
import { execFileSync } from 'node:child_process';
import { conclude, DPROF, findFaults, formatTopTypes, readDataProfile, scratchFolder } from './real-program.js';
import { buildMemcached, recordLoad, WORKERS } from './memcached-load.js';

const REQUESTS = 4000;
const EXPECTED_TYPES = ['struct _stritem', 'struct conn', 'LIBEVENT_THREAD'];

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

const program = buildMemcached();
const folder = scratchFolder();
const faults: string[] = [];
const found: { classes: Map<string, Classes>; bound: Map<string, boolean> }[] = [];
for (const cpuList of ['0,1', '0']) {
  const trace = `${folder}/memcached-${cpuList}.dptrace`;
  const { status, hits } = await recordLoad(program, trace, cpuList, REQUESTS);
  process.stdout.write(`memcached on CPUs ${cpuList}: ${WORKERS * REQUESTS} requests, ${hits} gets found their key\n`);
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
