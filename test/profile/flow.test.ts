// Stage: test. The flow in profiles: sums that must hold on random runs, round trip, damage, and merging.

import { describe, expect, test } from 'vitest';
import { DprofError } from '../../src/base/dprof-error.js';
import type { Flow } from '../../src/profile/flow.js';
import { mergeProfiles } from '../../src/profile/merge-profiles.js';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { listBrokenInvariants } from './profile-invariants.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import type { Profile } from '../../src/profile/profile.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { PATHS_BY } from '../../src/replay/places.js';
import type { ReplayWindow } from '../../src/contract/window.js';
import { simulate } from '../../src/sim/simulate.js';
import { randomMachine, randomTrace, randomWholeMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { atLength } from '../at-length.js';
import { handMadeFlowProfile } from './hand-made-flow.js';
import { catalog, facts, handMadeResult } from './hand-made-run.js';

const encode = (profile: Profile): Buffer => Buffer.concat(encodeProfile(profile));
const merge = (...profiles: Profile[]): Profile =>
  mergeProfiles(profiles.map((profile, index) => ({ name: `${'abc'[index]}.dprofile`, profile })));
const hand = handMadeFlowProfile();
const without = buildProfile(handMadeResult(), catalog, facts);

function randomProfile(seed: number, machineSeed: number, window?: ReplayWindow): Profile {
  const machine = machineSeed % 2 === 0 ? randomMachine(machineSeed) : randomWholeMachine(machineSeed);
  const flow = { by: PATHS_BY[machineSeed % 3], mostPaths: 3 + (machineSeed % 4) * 10, mostSteps: 64 };
  const trace = { ...openTrace(traceFile(randomTrace(seed, { actions: 120 }))), flow };
  const input = { ...replayInput(trace, machine, { kind: 'logical' }), window };
  return buildProfile(simulate(input), trace.catalog, {
    run: facts.run,
    machine,
    schedule: { kind: 'logical' },
    flow,
    ...(window && { window: { from: { asked: '30', references: 30, time: 0 }, to: null, warmUp: null } }),
  });
}

test('the run written by hand adds up', () => {
  expect(listBrokenInvariants(hand).filter((broken) => /path|step|bin|line time|lives/.test(broken))).toEqual([]);
});

test.each(Array.from({ length: atLength(3, 12) }, (_, seed) => seed))(
  'lives, references, misses and lines of random run %i add up, in a window too',
  (seed) => {
    expect(listBrokenInvariants(randomProfile(seed, seed))).toEqual([]);
    expect(listBrokenInvariants(randomProfile(seed, seed, { from: { kind: 'reference', references: 30 } }))).toEqual(
      [],
    );
  },
);

describe('files', () => {
  test('what is written is read back, column for column', () => {
    expect(decodeProfile(encode(hand))).toEqual(hand);
    const random = randomProfile(5, 6);
    expect(random.flow!.paths.type.length).toBeGreaterThan(5);
    expect(decodeProfile(encode(random))).toEqual(random);
  });

  test('a profile without a flow is read back without one', () => {
    expect(decodeProfile(encode(without))).toEqual(without);
  });

  test('what is said of the flow and its tables come together, all of them', () => {
    const { by, mostPaths, mostSteps, ...tables } = hand.flow!;
    const partly = { by, mostPaths, mostSteps, paths: tables.paths } as Flow;
    expect(() => decodeProfile(encode({ ...hand, flow: partly }))).toThrow(
      'column list at offset 32: expected all tables of the flow, or none, found none of flow.steps, flow.otherPaths',
    );
    expect(() => decodeProfile(encode({ ...hand, flow: { by, mostPaths, mostSteps } as Flow }))).toThrow(
      'profile flow at offset 32: expected it and its tables, found one of them',
    );
  });

  const damaged = (change: Partial<Flow>): string => {
    try {
      decodeProfile(encode({ ...hand, flow: { ...hand.flow!, ...change } }));
    } catch (error) {
      expect(error).toBeInstanceOf(DprofError);
      return (error as Error).message;
    }
    return 'it was accepted';
  };
  const { paths, steps, objectBins, residency, sets } = hand.flow!;

  test('what is wrong is named', () => {
    expect(damaged({ by: 'luck' as 'ip' })).toBe(
      'flow of the profile at offset 32: expected paths by function, line, ip, how many, and of how many steps, ' +
        'found {"by":"luck","mostPaths":7,"mostSteps":64}',
    );
    for (const facts of [{ mostPaths: -1 }, { mostSteps: undefined }, { mostSteps: 0.5 }])
      expect(damaged(facts)).toMatch(/^flow of the profile at offset 32/);
    expect(damaged({ paths: { ...paths, kind: paths.kind.map(() => 4) } })).toBe(
      'column flow.paths.kind, row 0, at offset 0: expected an index below 4, found 4',
    );
    expect(damaged({ paths: { ...paths, end: paths.end.map(() => 3) } })).toBe(
      'column flow.paths.end, row 0, at offset 0: expected an index below 3, found 3',
    );
    expect(damaged({ paths: { ...paths, steps: paths.steps.map(() => 2 ** 31) } })).toBe(
      'column flow.paths.steps, row 0, at offset 0: expected an index below 252, found 2147483648',
    );
    expect(damaged({ paths: { ...paths, steps: paths.steps.map(() => 64) } })).toMatch(
      /^column flow.steps.site at offset 0: expected \d+ rows, found 11$/,
    );
    expect(damaged({ steps: { ...steps, site: steps.site.map(() => 99) } })).toMatch(
      /^column flow.steps.site, row 0, at offset 0: expected an index below \d+, found 99$/,
    );
    expect(damaged({ steps: { ...steps, served: steps.served.subarray(1) } })).toBe(
      'column flow.steps.served at offset 0: expected 77 rows, found 76',
    );
    expect(damaged({ objectBins: { ...objectBins, bin: objectBins.bin.map(() => 64) } })).toBe(
      'column flow.objectBins.bin, row 0, at offset 0: expected a bin below 64, found 64',
    );
    expect(damaged({ residency: { ...residency, level: residency.level.map(() => 3) } })).toBe(
      'column flow.residency.level, row 0, at offset 0: expected an index below 3, found 3',
    );
    expect(damaged({ sets: { lines: sets.lines.subarray(2) } })).toBe(
      'column flow.sets.lines at offset 0: expected 33856 rows, found 33854',
    );
  });
});

describe('merging', () => {
  test('paths that read the same are added, times and misses too; lines of sets are the largest of any run', () => {
    const twice = merge(hand, hand);
    const double = (column: Float64Array): number[] => [...column].map((value) => value * 2);
    const [one, two] = [hand.flow!, twice.flow!];
    for (const name of ['type', 'kind', 'end', 'flags', 'steps'] as const)
      expect([...two.paths[name]]).toEqual([...one.paths[name]]);
    expect([...two.paths.lives]).toEqual(double(one.paths.lives));
    expect([...two.paths.lifetime]).toEqual(double(one.paths.lifetime));
    for (const name of ['served', 'latencyCycles', 'time'] as const)
      expect([...two.steps[name]]).toEqual(double(one.steps[name]));
    expect([...two.steps.endOffset]).toEqual([...one.steps.endOffset]);
    expect([...two.residency.lineTime]).toEqual(double(one.residency.lineTime));
    expect([...two.missBins.misses]).toEqual(double(one.missBins.misses));
    expect([...two.otherPaths.lives]).toEqual([2]);
    expect([two.objectBins, two.sets]).toEqual([one.objectBins, one.sets]);
  });

  test.each(atLength([0, 1], [0, 1, 2, 3]))(
    'three random runs, seed %i: the same bytes in any order and in any steps, and sums that add up',
    (seed) => {
      const [a, b, c] = [seed, seed + 1000, seed + 2000].map((own) => randomProfile(own, seed));
      const all = merge(a, b, c);
      const bytes = encode(all).toString('hex');
      for (const other of [
        merge(c, a, b),
        merge(merge(a, b), c),
        merge(a, merge(c, b)),
        merge(decodeProfile(encode(merge(c, b))), a),
      ])
        expect(encode(other).toString('hex')).toBe(bytes);
      expect(listBrokenInvariants(all)).toEqual([]);
      const lives = ({ flow }: Profile): number => flow!.paths.lives.reduce((sum, count) => sum + count, 0);
      expect(lives(all)).toBe(lives(a) + lives(b) + lives(c));
    },
  );

  test('profiles with paths and without, or of other places, have no sum', () => {
    expect(() => merge(hand, without)).toThrow(
      'a.dprofile and b.dprofile cannot be merged: paths: they were replayed by function and without',
    );
    expect(() => merge(hand, { ...hand, flow: { ...hand.flow!, by: 'line' } })).toThrow('by function and by line');
  });
});

test('merged, a profile keeps as many paths as the run that kept most', () => {
  const more = { ...hand, flow: { ...hand.flow!, mostPaths: 9, mostSteps: 64 } };
  expect([merge(hand, more).flow!.mostPaths, merge(more, hand).flow!.mostPaths]).toEqual([9, 9]);
});
