// Stage: command line. The flags of everything that replays: machine, order, engine. One table yields parser and help.

import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { DEFAULT_MACHINE, MOST_CORES } from '../machine/machine-description.js';
import { nameMachines } from '../machine/machine-names.js';
import { checkRequest, describeMachineOf, type MachineRequest } from '../machine/parse-machine.js';
import { spellSize } from '../machine/sizes.js';
import { parseSweep, type Sweep } from '../machine/sweep.js';
import { MACHINE_DEFAULTS } from '../contract/complete-machine.js';
import { INCLUSIONS, POLICIES, PREFETCHERS, PROTOCOLS, type LevelName, type Schedule } from '../contract/machine.js';
import type { FlowFacts } from '../replay/places.js';
import { MAPS, type MapName } from '../replay/recorded-cpus.js';
import { parseSchedule } from '../replay/schedule.js';
import { ENGINES, type EngineName } from '../replay/replay.js';
import { FLOW_FLAGS } from './flow-options.js';
import { parseReplayWindow, type AskedWindow, type ReplayWindowFlags } from './replay-window.js';
import { MOST_SCHEDULES } from './schedules.js';

type Flag = readonly [flag: string, description: string];

const geometry = (level: LevelName): string =>
  `${spellSize(DEFAULT_MACHINE[level].sizeBytes)}/${DEFAULT_MACHINE[level].ways}`;

const machineFlags: readonly Flag[] = [
  ['--machine <name|file>', "preset ('dprof machines' lists them) or JSON file (default: default)"],
  ['--cores <n>', `cores (default: one per thread or, with --map=cpu, per CPU; at most ${MOST_CORES})`],
  ['--l1 <size/ways>', `first-level data cache of each core (default: ${geometry('l1')})`],
  ['--l2 <size/ways>', `second-level cache of each core (default: ${geometry('l2')})`],
  ['--llc <size/ways>', `last-level cache (default: ${geometry('llc')})`],
  ['--line <bytes>', `line size (default: ${DEFAULT_MACHINE.lineBytes})`],
  ['--policy <policy>', `replacement policy: ${POLICIES.join(', ')}; for one level: l1=tree-plru,llc=srrip`],
  ['--inclusion <kind>', `of l2 and llc: ${INCLUSIONS.join(', ')}; for one level: llc=exclusive`],
  [
    '--prefetch <kinds>',
    `prefetchers joined by +: none, ${PREFETCHERS.join(', ')}; for one level: l1=stride,l2=next-line+adjacent-line`,
  ],
  ['--protocol <name>', `coherence protocol: ${PROTOCOLS.join(', ')}`],
  ['--smt <n>', 'hardware threads that share an L1; each counts as a core'],
  ['--share <groups>', 'cores that share a cache: l2=2,llc=8'],
  ['--sockets <n>', 'equal sockets, each with LLCs and memory of its own'],
  ['--tlb <levels>', 'entries/ways of one or two levels: 64/4,1536/12; or none'],
  ['--pages <size>', 'page size of TLBs, colouring and first touch: 4K (default) or 2M'],
  ['--colouring <kind>', "what chooses a page's sets: virtual (default), first-touch, random[:SEED]"],
  [
    '--latency <cycles>',
    'latencies of l1, l2, llc, memory, cache, remote-memory, remote-cache, l2-tlb, walk: llc=60,memory=300',
  ],
  ['--seed <n>', `seed of random replacement and random colouring (default: ${MACHINE_DEFAULTS.seed})`],
];

const replayFlags: readonly Flag[] = [
  [
    '--schedule <order>',
    'order of threads: logical (default, one instruction per cycle), recorded (time stamps), random:SEED',
  ],
  ['--schedules <n>', 'replay under n orders and show how far each sharing number moves'],
  ['--engine <engine>', 'native (default) or ts, the specification; their numbers are equal'],
  ['--workers <n>', 'threads that replay at a time, at most (default: one per processor); no number depends on it'],
  ['--kernel-stores', "replay what the kernel wrote into the program's buffers (read, recv) as stores"],
  ['--shared-variables', 'count accesses by address and thread, as --view shared-variables needs it'],
  ['--map <policy>', 'core of a thread: thread (default) takes creation order, cpu the recorded CPU'],
];

const windowFlags: readonly Flag[] = [
  [
    '--from <place>',
    'count from here on: a number of references (1.2M), a time (1.5s, 200ms) or a mark (mark:NAME, mark:NAME#2)',
  ],
  ['--to <place>', 'stop the replay here (--until is the same)'],
  ['--until <place>', 'stop the replay here'],
  [
    '--warm-up <amount>',
    'how much to replay before --from to fill the caches: references (10M), a time (200ms), or all (default)',
  ],
];

/** For commands that collect shared variables by default. */
const noSharedVariables: Flag = [
  '--no-shared-variables',
  'leave out shared variables, which take a second pass over the trace',
];

/** For commands that look at a trace: its profile is kept for the next of them. */
const noCache: Flag = ['--no-cache', 'replay, although the profile may be kept beside the trace, and keep none'];

const REPLAY_GROUP = 'Replay (docs/replay/README.md):';
const WINDOW_GROUP = 'Window (docs/replay/windows.md):';

const namesOf = (flags: readonly Flag[]): string[] => flags.map(([flag]) => flag.slice(2).split(' ')[0]);
const traceFlagNames = namesOf([...replayFlags, ...windowFlags, noSharedVariables, noCache]);
const flagNames = [...namesOf(machineFlags), ...traceFlagNames, ...FLOW_FLAGS];

/** The differences between commands in their flags of replay. */
export interface ReplayFlagsOf {
  /** One --machine otherwise. */
  readonly severalMachines?: boolean;
  /** The command collects shared variables unless the user declines. */
  readonly wantsSharedVariables?: boolean;
  /** The profile is kept beside the trace. */
  readonly keepsProfiles?: boolean;
}

export interface ReplayFlags extends Omit<MachineRequest, 'machine'>, ReplayWindowFlags {
  readonly machine?: readonly string[];
  readonly schedule?: string;
  readonly schedules?: string;
  readonly engine?: string;
  readonly workers?: string;
  readonly map?: string;
  readonly kernelStores?: boolean;
  readonly sharedVariables?: boolean;
  /** Of a command that keeps profiles: false is --no-cache. */
  readonly cache?: boolean;
}

export interface ReplayRequest {
  /** At least one, in the order of the command line. */
  readonly machines: readonly MachineRequest[];
  readonly schedule: Schedule;
  /** How many to replay under; undefined: that one. */
  readonly schedules: number | undefined;
  readonly engine: EngineName;
  readonly workers: number | undefined;
  readonly kernelStores: boolean;
  readonly sharedVariables: boolean;
  readonly map: MapName;
  /** undefined: all of the trace counts. */
  readonly window: AskedWindow | undefined;
  /** undefined: no flow is collected. */
  readonly flow?: FlowFacts;
  /** As in ReplayInput. */
  readonly mostObjects?: number;
  /**
   * Which profile of those kept beside the trace will do: the one of this request, or one that has more. undefined:
   * none, and none is kept.
   */
  readonly kept?: 'exact' | 'or-more';
  /** Users of the command need not know that there are kept profiles. */
  readonly keepsQuietly?: boolean;
}

/** For commands that read a trace. `dprof run` has a --from of its own, which says what is recorded. */
export function addWindowedReplayFlags(command: Command, of: ReplayFlagsOf = {}): Command {
  // dprof export has another --to, and so the other name of a window's end alone; and no room for one more heading.
  const hasOwn = command.options.some(({ long }) => long === '--to');
  for (const [flag, description] of windowFlags) {
    const option = new Option(flag, description).helpGroup(hasOwn ? REPLAY_GROUP : WINDOW_GROUP);
    if (option.long === '--until') option.hideHelp(!hasOwn);
    if (option.long !== '--to' || !hasOwn) command.addOption(option);
  }
  return addReplayFlags(command, of);
}

export function addReplayFlags(
  command: Command,
  { severalMachines = false, wantsSharedVariables = false, keepsProfiles = false }: ReplayFlagsOf = {},
): Command {
  const add = (heading: string, flags: readonly Flag[]): void => {
    for (const [flag, description] of flags) {
      const isMachine = flag.startsWith('--machine ');
      const option = new Option(
        flag,
        isMachine && severalMachines ? `${description}; may be given several times` : description,
      ).helpGroup(heading);
      if (isMachine) option.argParser((name: string, before: string[] = []) => [...before, name]);
      if (flag === '--shared-variables') option.hideHelp(wantsSharedVariables);
      command.addOption(option);
    }
  };
  add('Machine (docs/machines.md):', machineFlags);
  add(REPLAY_GROUP, [
    ...replayFlags,
    ...(wantsSharedVariables ? [noSharedVariables] : []),
    ...(keepsProfiles ? [noCache] : []),
  ]);
  return command;
}

/** Flags other than --machine hold for each of the machines. */
function machineRequests(options: ReplayFlags): MachineRequest[] {
  const {
    machine = [],
    cores,
    line,
    l1,
    l2,
    llc,
    smt,
    share,
    sockets,
    latency,
    protocol,
    policy,
    inclusion,
    prefetch,
    tlb,
    pages,
    colouring,
    seed,
  } = options;
  const changes = {
    cores,
    line,
    l1,
    l2,
    llc,
    smt,
    share,
    sockets,
    latency,
    protocol,
    policy,
    inclusion,
    prefetch,
    tlb,
    pages,
    colouring,
    seed,
  };
  return machine.length === 0 ? [changes] : machine.map((name) => ({ machine: name, ...changes }));
}

/** For commands that work on one machine. */
export function onlyMachine({ machines }: ReplayRequest): MachineRequest {
  if (machines.length === 1) return machines[0];
  throw new DprofError(
    `--machine is given ${machines.length} times, and this is about one machine`,
    'give one --machine',
    2,
  );
}

/** `dprof sweep`: one level's size is a range; the machines of the request are its points. */
export function parseSweepFlags(options: ReplayFlags): { readonly sweep: Sweep; readonly request: ReplayRequest } {
  const [machine, ...more] = machineRequests(options);
  if (more.length > 0)
    throw new DprofError(
      `--machine is given ${more.length + 1} times, and a sweep is of one machine`,
      'give one --machine',
      2,
    );
  const sweep = parseSweep(machine, (level) => describeMachineOf(machine.machine)[level].ways);
  const machines = sweep.points.map(({ request }) => request);
  machines.forEach(checkRequest);
  return { sweep, request: { ...parseReplayFlags({ ...options, [sweep.level]: undefined }), machines } };
}

export function parseReplayFlags(options: ReplayFlags): ReplayRequest {
  const map = options.map ?? 'thread';
  if (!isMap(map))
    throw new DprofError(
      `--map: '${map}' is no place for threads`,
      'use thread (in creation order, modulo --cores) or cpu (as it was recorded)',
      2,
    );
  const schedule = parseSchedule(options.schedule ?? 'logical');
  if (schedule === null) {
    throw new DprofError(
      `--schedule: '${options.schedule}' is not a schedule`,
      'use logical, recorded or random:SEED, SEED a whole number below 4294967296',
      2,
    );
  }
  const { schedules } = options;
  if (
    schedules !== undefined &&
    !(/^\d{1,4}$/.test(schedules) && Number(schedules) >= 1 && Number(schedules) <= MOST_SCHEDULES)
  ) {
    throw new DprofError(
      `--schedules: '${schedules}' is not a whole number from 1 to ${MOST_SCHEDULES}`,
      'for example --schedules 8',
      2,
    );
  }
  const engine = options.engine ?? 'native';
  if (!isEngine(engine)) throw new DprofError(`--engine: '${engine}' is not an engine`, 'use native or ts', 2);
  const { workers } = options;
  if (workers !== undefined && !/^[1-9]\d{0,3}$/.test(workers))
    throw new DprofError(`--workers: '${workers}' is not a positive whole number`, 'for example --workers 2', 2);
  const machines = machineRequests(options);
  machines.forEach(checkRequest);
  nameMachines(machines);
  return {
    machines,
    schedule,
    schedules: numberOf(schedules),
    engine,
    workers: numberOf(workers),
    kernelStores: options.kernelStores === true,
    sharedVariables: options.sharedVariables === true,
    map,
    window: parseReplayWindow(options),
    ...(options.cache === true && { kept: 'exact' as const }),
  };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function isEngine(name: string): name is EngineName {
  return (ENGINES as readonly string[]).includes(name);
}

function isMap(name: string): name is MapName {
  return (MAPS as readonly string[]).includes(name);
}

/** A command that replays nothing refuses flags that would change a replay: to ignore them would hide a mistake. */
export function refuseReplayFlags(options: ReplayFlags, why: string, hint: string): void {
  refuseFlags(flagNames, options, why, hint);
}

/** For input that has a machine and paths, but no trace. */
export function refuseTraceFlags(options: ReplayFlags, why: string, hint: string): void {
  refuseFlags(traceFlagNames, options, why, hint);
}

function refuseFlags(names: readonly string[], options: ReplayFlags, why: string, hint: string): void {
  const valueOf = (name: string): unknown =>
    (options as Record<string, unknown>)[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
  const given = names.filter((name) =>
    name.startsWith('no-') ? valueOf(name.slice(3)) === false : (valueOf(name) ?? false) !== false,
  );
  if (given.length > 0) throw new DprofError(`--${given[0]} does nothing ${why}`, hint, 2);
}
