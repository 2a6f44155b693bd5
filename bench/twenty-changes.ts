// Stage: bench. Twenty changes tried in one go, as dprof advise tries them: on excerpts of a long run, each placed and
// replayed. Run by advise-cost.ts as `node dist/bench/twenty-changes.js TRACE`; it prints
// seconds, or 0 if there is no struct to change.
import { join } from 'node:path';
import { countCosts } from '../src/advise/problems.js';
import { TrialRunner } from '../src/advise/trial-runner.js';
import { excerptsOf } from '../src/cli/advise-trace.js';
import { INSTALLATION } from '../src/cli/installation.js';
import { machinesFor, openFor, replayQuietly } from '../src/cli/replay-trace.js';
import { parseReplayFlags } from '../src/cli/machine-options.js';
import { closeObjects } from '../src/profile/object-source.js';
import { isRecord } from '../src/what-if/layout-change.js';
import { typeOf } from '../src/what-if/place-objects.js';
import { Trials } from '../src/what-if/what-if.js';

const CHANGES = 20;

const request = parseReplayFlags({ engine: 'native' });
const trace = openFor([process.argv[2]], request);
const [machine] = machinesFor(trace, request.machines);
const whole = await Trials.of(trace, join(INSTALLATION, 'bin'));
const excerpts = await excerptsOf(whole);

/** The struct with most bytes; each change makes it larger by another number of bytes. */
const bytes = new Map<string, number>();
const { objects } = whole.survey;
for (let object = 0; object < objects.count; object++) {
  const type = typeOf(objects, object);
  const name = trace.catalog.types.name[type];
  if (type > 0 && isRecord(trace.catalog, type)) bytes.set(name, (bytes.get(name) ?? 0) + objects.sizeBytes[object]);
}
const [subject] = [...bytes].sort(([, a], [, b]) => b - a)[0] ?? [];

const runner = new TrialRunner(
  excerpts ?? whole,
  {
    replay: (of, _machine, schedule, workers) => replayQuietly(of, machine, schedule, request, workers),
    machines: 1,
    askedMachines: 1,
    schedules: [{ kind: 'logical' }],
    costsOf: (profile) => {
      const costs = countCosts(profile, {
        isRecord: () => true,
        isHopped: () => false,
        isLock: () => false,
        spans: () => [],
        cpi: 1,
      });
      closeObjects(profile);
      return costs;
    },
    progress: { begin: () => {}, expect: () => {}, done: () => {} },
    changes: new Map(),
    tried: new Set(),
  },
  0,
);
async function secondsOf(type: string): Promise<number> {
  const began = performance.now();
  const { trials } = await runner.tryAll(
    Array.from({ length: CHANGES }, (_, index) => ({
      text: '',
      request: { pad: [`${type}=+${8 * (index + 1)}`] },
    })),
  );
  if (trials.size !== CHANGES) throw new Error(`${trials.size} of ${CHANGES} changes were tried`);
  return (performance.now() - began) / 1000;
}
process.stdout.write(`${subject === undefined ? 0 : (await secondsOf(subject)).toFixed(2)}\n`);
excerpts?.close();
