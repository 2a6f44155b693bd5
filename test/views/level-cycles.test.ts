// Stage: test. What the misses of each level cost: the formula of docs/definitions.md, worked out by hand and summed
// anew from who served.

import { expect, test } from 'vitest';
import { SERVERS, type Server } from '../../src/contract/machine.js';
import { buildDataProfile } from '../../src/views/data-profile.js';
import { buildFunctions } from '../../src/views/functions.js';
import { chooseLevel, costOfLevels } from '../../src/views/level-cycles.js';
import { buildMissClassification } from '../../src/views/miss-classification.js';
import { resolveMachine } from '../../src/machine/parse-machine.js';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import { atLength } from '../at-length.js';
import { facts } from '../profile/hand-made-run.js';
import { randomTrace, randomWholeMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';

const machine = resolveMachine({}, 2);
const counters =
  (given: Readonly<Record<string, number>>) =>
  (name: string): number =>
    given[name] ?? 0;

test('a miss costs each level that it passed what the next one takes longer', () => {
  // 10 are served by the L2, 5 by the LLC, 2 by memory.
  const get = counters({
    'l1.capacity': 17,
    'l2.conflict': 5,
    'l2.compulsory': 2,
    'llc.compulsory': 2,
    'served.l2': 10,
    'served.llc': 5,
    'served.memory': 2,
  });
  expect(costOfLevels(get, machine)).toEqual({
    levelCycles: { l1: 17 * 10, l2: 7 * 36, llc: 2 * 150 },
    costliest: { level: 'llc', class: 'compulsory', cycles: 300, share: 300 / 722 },
  });
  expect(costOfLevels(get, machine, 'l2').costliest).toEqual({
    level: 'l2',
    class: 'conflict',
    cycles: 180,
    share: 180 / 722,
  });
  // No cache avoids compulsory misses, so the LLC's classes say nothing.
  expect(chooseLevel(get, machine)).toBe('l2');
});

test("another core's cache costs the L2, by the classes of lines that others stored to", () => {
  const get = counters({
    'l1.false-sharing': 3,
    'l1.capacity': 20,
    'l2.false-sharing': 3,
    'l2.capacity': 20,
    'l2.compulsory': 4,
    'l1.compulsory': 4,
    'l2.compulsoryShared': 1,
    'llc.compulsory': 4,
    'served.cache': 4,
    'served.llc': 20,
    'served.memory': 3,
  });
  const { levelCycles, costliest } = costOfLevels(get, machine);
  expect(levelCycles).toEqual({ l1: 27 * 10, l2: 27 * 36 + 4 * 150, llc: 3 * 150 });
  // Capacity 20 * 36 = 720, false sharing 3 * 36 + 3/4 of 600 = 558.
  expect(costliest).toMatchObject({ level: 'l2', class: 'capacity', cycles: 720 });
  expect(chooseLevel(get, machine)).toBe('l2');
});

test('nothing costs nothing', () => {
  expect(costOfLevels(counters({}), machine)).toEqual({
    levelCycles: { l1: 0, l2: 0, llc: 0 },
    costliest: { level: null, class: null, cycles: 0, share: 0 },
  });
  expect(chooseLevel(counters({}), machine)).toBe('l1');
});

test('where all misses are compulsory, the level of most cycles is shown', () => {
  const get = counters({ 'l1.compulsory': 1, 'l2.compulsory': 1, 'llc.compulsory': 1, 'served.memory': 1 });
  expect(chooseLevel(get, machine)).toBe('llc');
});

test.each(Array.from({ length: atLength(6, 20) }, (_, seed) => seed))(
  'random run %i: the levels of a row add up to what its servers took longer than the L1',
  (seed) => {
    const own = randomWholeMachine(seed);
    const trace = openTrace(traceFile(randomTrace(seed, { actions: 120 })));
    const schedule = { kind: 'logical' } as const;
    const profile = buildProfile(simulate(replayInput(trace, own, schedule)), trace.catalog, {
      run: facts.run,
      machine: own,
      schedule,
    });
    const latencies: Readonly<Record<Server, number>> = {
      l1: own.l1.latencyCycles,
      l2: own.l2.latencyCycles,
      llc: own.llc.latencyCycles,
      cache: own.cacheToCacheLatencyCycles,
      memory: own.memoryLatencyCycles,
      'remote-cache': own.remoteCacheLatencyCycles ?? own.cacheToCacheLatencyCycles,
      'remote-memory': own.remoteMemoryLatencyCycles ?? own.memoryLatencyCycles,
    };
    const { rows, totals } = buildDataProfile(profile);
    expect(rows.length).toBeGreaterThan(1);
    const sum = ({ l1, l2, llc }: Readonly<Record<'l1' | 'l2' | 'llc', number>>): number => l1 + l2 + llc;
    for (const { servedBy, levelCycles } of rows)
      expect(sum(levelCycles)).toBe(
        SERVERS.reduce((all, server) => all + (servedBy[server] ?? 0) * (latencies[server] - latencies.l1), 0),
      );
    const all = sum(totals.levelCycles);
    expect(all).toBeGreaterThan(0);
    for (const others of [
      rows,
      buildFunctions(profile).rows,
      buildMissClassification(profile).rows.filter(({ field }) => field === null),
    ])
      expect(others.reduce((total, { levelCycles }) => total + sum(levelCycles), 0)).toBe(all);
  },
);
