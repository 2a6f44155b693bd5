// Stage: samples -> profile. Samples of a program, and histories of its objects, become a profile: estimates where a
// replay's are counts, with how sure each is beside it. docs/sampled-views.md defines each number.

import { NOWHERE } from '../samples/samples.js';
import type { FlowFacts } from '../../profile/flow.js';
import { freezeNames } from '../../profile/profile-builder.js';
import type { Profile, RunFacts } from '../../profile/profile.js';
import type { SampledTables, SimulationFacts } from '../../profile/sampled.js';
import { LEVELS, type LevelName, type Machine } from '../../contract/machine.js';
import { DEFAULT_MOST_PATHS, DEFAULT_MOST_STEPS } from '../../contract/flow-result.js';
import type { PathBy } from '../../replay/places.js';
import type { CpuCore } from '../../replay/recorded-cpus.js';
import type { Totals } from '../../contract/result.js';
import { outcomeOf } from '../samples/outcome.js';
import { classifyPaths } from './miss-classes.js';
import { MetSamples } from './met-samples.js';
import { lineOffsets, listObjectPaths } from './object-paths.js';
import { playedTypes } from './played-types.js';
import { buildSampledFlow } from './sampled-flow.js';
import { requireOneProgram, type SampledInput } from './sampled-input.js';
import { SampledNames } from './sampled-names.js';
import { lifeColumns, listDrawnObjects, objectColumns, runLength, sumLives } from './sampled-objects.js';
import { tallySamples, type SampledTallies } from './sampled-tallies.js';
import { describeSampling, meanPeriod } from './sampling-facts.js';
import { REPETITIONS, simulateWorkingSet, type PlayedSets } from './simulate-working-set.js';

export interface SampledRequest {
  /** `cores`: how many CPUs samples and objects name. */
  readonly machineFor: (cores: number) => Machine;
  /** undefined: no flow is wanted. */
  readonly flow: FlowFacts | undefined;
  /** The seed of the working set's simulation. */
  readonly seed: number;
}

const NO_TAKERS = {
  level: new Uint8Array(0),
  taker: new Uint32Array(0),
  owner: new Uint32Array(0),
  bin: new Uint8Array(0),
  lines: new Float64Array(0),
};
const NO_SIDE = {
  type: new Uint32Array(0),
  field: new Uint32Array(0),
  site: new Uint32Array(0),
  allocationSite: new Uint32Array(0),
  allocationThread: new Uint32Array(0),
  variable: new Uint32Array(0),
};

export function buildSampledProfile(input: SampledInput, { machineFor, flow, seed }: SampledRequest): Profile {
  requireOneProgram(input);
  const cpus = listCpus(input);
  const machine = withSockets(machineFor(Math.max(1, cpus.length)), input);
  const coreOfCpu = new Map(cpus.map((cpu, index) => [cpu, index % machine.cores]));
  const coreOf = (cpu: number): number => coreOfCpu.get(cpu) ?? 0;
  const names = new SampledNames();
  const runNs = input.samples.reduce((sum, { value }) => sum + runLength(value), 0);

  const drawn = listDrawnObjects(input, names, coreOf);
  const lives = sumLives(input, names);
  const by: PathBy = flow?.by ?? 'function';
  const met = new MetSamples(input, by);
  const paths =
    input.histories === null
      ? []
      : listObjectPaths(input.histories.value, met, (type) => lives.get(names.aggregate(type))?.allocations);
  const { types, withoutObjects, withoutPaths } = playedTypes({ input, names, drawn, lives, paths });
  // Classes need the sets, flow the rest.
  const isWanted = flow !== undefined || input.histories !== null;
  const played =
    !isWanted || types.length === 0 || runNs === 0
      ? null
      : simulateWorkingSet({ types, machine, runNs, seed, repetitions: REPETITIONS });
  const classes =
    input.histories === null
      ? null
      : classifyPaths({
          paths,
          by,
          lineBytes: machine.lineBytes,
          begins: lineOffsets(input.histories.value, machine.lineBytes),
          crowded: crowdedIn(played, names),
        });

  const tallies = tallySamples(input, names, coreOf, classes);
  const simulation: SimulationFacts | null = played && {
    seed,
    repetitions: REPETITIONS,
    objects: played.objects,
    windowNs: played.windowNs,
    withoutPaths,
    withoutObjects,
  };
  const facts = describeSampling(input, tallies, isWanted, simulation);
  const flowOf = buildSampledFlow(
    {
      paths: flow === undefined ? [] : paths,
      played: flow === undefined ? null : played,
      machine,
      runNs,
      facts: flow ?? { by, mostPaths: DEFAULT_MOST_PATHS, mostSteps: DEFAULT_MOST_STEPS },
    },
    names,
  );

  const { renumber, ...tables } = freezeNames(names.strings, names.types, names.sites);
  const { tallies: rows, sampled } = tallies.freeze(renumber);
  const { flow: own, steps, paths: pathColumns, residency } = flowOf(renumber);
  const sampledTables: SampledTables = {
    tallies: sampled,
    lives: lifeColumns(lives, renumber),
    steps,
    paths: pathColumns,
    residency,
  };
  return {
    run: describeRun(input),
    machine,
    schedule: 'recorded',
    cpus: describeCpus(cpus, coreOf),
    totals: totalsOf(tallies, runNs),
    phases: [],
    marks: [],
    ...tables,
    tallies: rows,
    sharing: {
      class: new Uint8Array(0),
      relation: new Uint8Array(0),
      misses: new Float64Array(0),
      missed: NO_SIDE,
      writer: NO_SIDE,
    },
    objects: objectColumns(drawn, meanPeriod(facts), renumber),
    objectCounters: { object: new Uint32Array(0), counter: new Uint8Array(0), value: new Float64Array(0) },
    evictions: NO_TAKERS,
    invalidations: NO_TAKERS,
    unusedBytes: {
      type: new Uint32Array(0),
      field: new Uint32Array(0),
      fetchedBytes: new Float64Array(0),
      unusedBytes: new Float64Array(0),
    },
    ...(flow !== undefined && { flow: own }),
    sampled: { facts, ...sampledTables },
  };
}

/** CPUs of samples and drawn objects, ascending; a sample that says none is on core 0. */
function listCpus({ samples }: SampledInput): number[] {
  const cpus = new Set<number>();
  for (const { value } of samples)
    for (const column of [value.rows.cpu, value.objects.cpu])
      for (const cpu of column) if (cpu !== NOWHERE) cpus.add(cpu);
  return [...cpus].sort((a, b) => a - b);
}

function describeCpus(cpus: readonly number[], coreOf: (cpu: number) => number): CpuCore[] {
  return cpus.length === 0 ? [{ cpu: 0, core: 0 }] : cpus.map((cpu) => ({ cpu, core: coreOf(cpu) }));
}

/** Samples from another socket are shown as such, even if the machine is said to have one socket. */
function withSockets(machine: Machine, { samples }: SampledInput): Machine {
  const isRemote = samples.some(({ value }) =>
    [...new Set(value.rows.dataSource)].some((source) => outcomeOf(source).server?.startsWith('remote') === true),
  );
  if (machine.coresPerSocket !== undefined || !isRemote) return machine;
  return { ...machine, coresPerSocket: machine.cores };
}

function describeRun({ samples }: SampledInput): RunFacts {
  const [{ value: first }] = samples;
  const endings = [...new Set(samples.map(({ value }) => value.ended))];
  return {
    command: first.run.command,
    ended: samples.length === 1 ? first.ended : `${samples.length} runs: ${endings.join(', ')}`,
    truncated: false,
    addressRandomisation: samples.some(({ value }) => value.aslr),
    threads: Math.max(...samples.map(({ value }) => value.threads)),
    refusals: {},
    stampsPerSecond: 0,
  };
}

function crowdedIn(played: PlayedSets | null, names: SampledNames): (type: string, level: LevelName) => number | null {
  return (type, level) => played?.crowded[LEVELS.indexOf(level)].get(names.aggregate(type)) ?? null;
}

/** Numbers that no sample can say are 0 here, and null in every view. */
function totalsOf({ all }: SampledTallies, runNs: number): Totals {
  const references = all('loads') + all('stores') + all('kindUnknown');
  const missed = (level: LevelName): number => all(`${level}.missLoads`) + all(`${level}.missStores`);
  const hit = (level: LevelName, lookups: number): number =>
    Math.max(0, lookups - missed(level) - all(`${level}.unknownLoads`) - all(`${level}.unknownStores`));
  const nothing: [number, number, number] = [0, 0, 0];
  return {
    accesses: references,
    references,
    loads: all('loads'),
    stores: all('stores'),
    invalidations: 0,
    upgrades: 0,
    writeBacks: 0,
    segments: 0,
    segmentsThatWaited: 0,
    instructions: runNs,
    outsideLife: 0,
    unseenBytes: 0,
    lostSegments: 0,
    windowsClosed: 0,
    closedStamps: 0,
    droppedWords: 0,
    hits: [hit('l1', references - all('kindUnknown')), hit('l2', missed('l1')), hit('llc', missed('l2'))],
    misses: [missed('l1'), missed('l2'), missed('llc')],
    fills: nothing,
    evictions: nothing,
  };
}
