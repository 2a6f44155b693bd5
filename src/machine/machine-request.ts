// Stage: command line -> replay. The flags about a machine, applied to a description of one.

import { MACHINE_DEFAULTS } from '../contract/complete-machine.js';
import {
  COLOURINGS,
  INCLUSIONS,
  POLICIES,
  PREFETCHERS,
  PROTOCOLS,
  type CacheLevel,
  type LevelName,
  type Prefetcher,
  type Tlb,
} from '../contract/machine.js';
import { parseNamed, parseNamedOrAll } from './flag-lists.js';
import { TLB_PENALTIES, type MachineDescription } from './machine-description.js';
import { parseTlbLevels } from './machine-file.js';
import { parseChoice, parseCount, parseGeometry, parseSize, usageError } from './sizes.js';

/** Each as it stands on the command line; undefined: as the machine has it. */
export interface MachineRequest {
  /** A preset's name or a JSON file; undefined: the default machine. */
  readonly machine?: string;
  readonly cores?: string;
  readonly line?: string;
  readonly l1?: string;
  readonly l2?: string;
  readonly llc?: string;
  /** Cores (hardware threads) that share an L1. */
  readonly smt?: string;
  readonly share?: string;
  readonly sockets?: string;
  readonly latency?: string;
  readonly protocol?: string;
  readonly policy?: string;
  readonly inclusion?: string;
  readonly prefetch?: string;
  readonly tlb?: string;
  readonly pages?: string;
  readonly colouring?: string;
  readonly seed?: string;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type Draft = Mutable<MachineDescription>;

/** Flags in the order in which they build on each other; sockets are parts of `cores`, which is known by now. */
export function applyRequest(base: MachineDescription, request: MachineRequest, cores: number): MachineDescription {
  const machine: Draft = { ...base };
  if (request.line !== undefined) machine.lineBytes = parseSize('--line', request.line);
  applyLevels(machine, request);
  if (request.smt !== undefined) applySmt(machine, parseCount('--smt', request.smt));
  if (request.share !== undefined) applyShare(machine, request.share);
  if (request.sockets !== undefined) applySockets(machine, parseCount('--sockets', request.sockets), cores);
  if (request.protocol !== undefined) machine.protocol = parseChoice('--protocol', request.protocol, PROTOCOLS);
  if (request.tlb !== undefined) applyTlb(machine, request.tlb);
  if (request.latency !== undefined) applyLatency(machine, request.latency);
  if (request.pages !== undefined)
    machine.pageBytes = pageSizes[parseChoice('--pages', request.pages.toUpperCase(), ['4K', '2M'] as const)];
  if (request.colouring !== undefined) applyColouring(machine, request.colouring);
  if (request.seed !== undefined) machine.seed = parseSeed('--seed', request.seed);
  return machine;
}

const pageSizes = { '4K': 4096, '2M': 2 << 20 } as const;

function changeLevel(machine: Draft, name: LevelName, change: Partial<CacheLevel>): void {
  machine[name] = { ...machine[name], ...change };
}

function applyLevels(machine: Draft, { l1, l2, llc, policy, inclusion, prefetch }: MachineRequest): void {
  for (const [name, geometry] of [
    ['l1', l1],
    ['l2', l2],
    ['llc', llc],
  ] as const) {
    if (geometry !== undefined) changeLevel(machine, name, parseGeometry(`--${name}`, geometry));
  }
  for (const [name, word] of named('--policy', policy, ['l1', 'l2', 'llc'], 'l1=tree-plru,llc=srrip'))
    changeLevel(machine, name, { policy: parseChoice(`--policy ${name}`, word, POLICIES) });
  for (const [name, word] of named('--inclusion', inclusion, ['l2', 'llc'], 'l2=inclusive,llc=exclusive'))
    changeLevel(machine, name, { inclusion: parseChoice(`--inclusion ${name}`, word, INCLUSIONS) });
  for (const [name, words] of named('--prefetch', prefetch, ['l1', 'l2'], 'l1=stride,l2=adjacent-line+next-line'))
    changeLevel(machine, name, { prefetchers: parsePrefetchers(name, words) });
}

function named<Name extends string>(
  flag: string,
  text: string | undefined,
  names: readonly Name[],
  example: string,
): Map<Name, string> {
  return text === undefined ? new Map() : parseNamedOrAll(flag, text, names, example);
}

function parsePrefetchers(level: string, words: string): Prefetcher[] {
  return words === 'none' ? [] : words.split('+').map((word) => parseChoice(`--prefetch ${level}`, word, PREFETCHERS));
}

/** Machines count cores without SMT; with it, each has as many siblings, and every group as many times more. */
function applySmt(machine: Draft, siblings: number): void {
  const { coresPerL1 = MACHINE_DEFAULTS.coresPerL1, coresPerL2 = coresPerL1, coresPerLlc, coresPerSocket } = machine;
  const grow = (group: number): number => {
    if (group % coresPerL1 !== 0)
      throw usageError(
        `--smt ${siblings}: groups of ${group} are no multiple of the machine's own coresPerL1, ${coresPerL1}`,
        'say the groups with --share',
      );
    return (group / coresPerL1) * siblings;
  };
  machine.coresPerL1 = siblings;
  machine.coresPerL2 = grow(coresPerL2);
  if (coresPerLlc !== undefined) machine.coresPerLlc = grow(coresPerLlc);
  if (coresPerSocket !== undefined) machine.coresPerSocket = grow(coresPerSocket);
}

function applyShare(machine: Draft, text: string): void {
  const groups = parseNamed('--share', text, ['l2', 'llc'], 'l2=2,llc=8');
  for (const [name, size] of groups)
    machine[name === 'l2' ? 'coresPerL2' : 'coresPerLlc'] = parseCount(`--share ${name}`, size);
}

/** Equal ones; an LLC that would reach over several is one on each. */
function applySockets(machine: Draft, sockets: number, cores: number): void {
  if (cores % sockets !== 0)
    throw usageError(
      `--sockets ${sockets}: ${cores} cores do not make ${sockets} equal sockets`,
      `add --cores ${Math.ceil(cores / sockets) * sockets}`,
    );
  const coresPerSocket = cores / sockets;
  machine.coresPerSocket = coresPerSocket;
  machine.coresPerLlc = Math.min(machine.coresPerLlc ?? cores, coresPerSocket);
}

function applyTlb(machine: Draft, text: string): void {
  if (text === 'none') {
    delete machine.tlb;
    return;
  }
  if (text.split(',').length > 2)
    throw usageError(`--tlb ${text}: more than two levels`, 'for example --tlb 64/4,1536/12, or none');
  const { l2LatencyCycles, walkLatencyCycles } = machine.tlb ?? TLB_PENALTIES;
  const { l1, l2 } = parseTlbLevels('--tlb', text);
  machine.tlb = { l1, ...(l2 === undefined ? {} : { l2 }), l2LatencyCycles, walkLatencyCycles };
}

const LATENCIES = ['l1', 'l2', 'llc', 'memory', 'cache', 'remote-memory', 'remote-cache', 'l2-tlb', 'walk'] as const;
const latencyFields = {
  memory: 'memoryLatencyCycles',
  cache: 'cacheToCacheLatencyCycles',
  'remote-memory': 'remoteMemoryLatencyCycles',
  'remote-cache': 'remoteCacheLatencyCycles',
} as const;

function applyLatency(machine: Draft, text: string): void {
  for (const [name, value] of parseNamed('--latency', text, LATENCIES, 'llc=60,memory=300')) {
    const cycles = parseCount(`--latency ${name}`, value, name === 'l2-tlb' || name === 'walk' ? 0 : 1, 1_000_000);
    if (name === 'l1' || name === 'l2' || name === 'llc') changeLevel(machine, name, { latencyCycles: cycles });
    else if (name === 'l2-tlb' || name === 'walk')
      machine.tlb = {
        ...requireTlb(machine, name),
        [name === 'walk' ? 'walkLatencyCycles' : 'l2LatencyCycles']: cycles,
      };
    else machine[latencyFields[name]] = cycles;
  }
}

function requireTlb({ tlb }: Draft, latency: string): Tlb {
  if (tlb === undefined) throw usageError(`--latency ${latency}: the machine has no TLB`, 'add --tlb 64/4,1536/12');
  return tlb;
}

/** "random:7" is --colouring random --seed 7. */
function applyColouring(machine: Draft, text: string): void {
  const [colouring, seed, ...rest] = text.split(':');
  if (rest.length > 0 || (seed !== undefined && colouring !== 'random'))
    throw usageError(
      `--colouring: '${text}' is not virtual, first-touch or random[:SEED]`,
      'for example --colouring random:1',
    );
  machine.colouring = parseChoice('--colouring', colouring, COLOURINGS);
  if (seed !== undefined) machine.seed = parseSeed('--colouring random', seed);
}

function parseSeed(flag: string, text: string): number {
  return parseCount(flag, text, 0, 2 ** 32 - 1);
}
