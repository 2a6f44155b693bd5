// Stage: command line -> replay. The caches of the machine this runs on, as the kernel describes them in sysfs.

import { readFileSync, readdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import type { CacheLevel } from '../contract/machine.js';
import { DEFAULT_MACHINE, type MachineDescription } from './machine-description.js';
import { parseSize } from './sizes.js';

interface HostCache {
  readonly level: number;
  readonly sizeBytes: number;
  readonly ways: number;
  readonly lineBytes: number;
  readonly sharedBy: number;
}

const INSTEAD = 'describe the machine in a file, or with --l1, --l2 and --llc';

/**
 * A simulated core is a core of the host, not one of its hardware threads: the kernel gives each thread of a program a
 * core of its own while there are any, and numbers the siblings of a core far apart. So the CPUs that share an L2, an
 * LLC or a socket are counted without siblings; `--smt` brings those. Latencies, inclusion, policies, protocol, TLBs
 * and prefetchers are not in sysfs: those of the default machine. The first CPU speaks for all.
 */
export function readHostMachine(
  directory = '/sys/devices/system/cpu/cpu0',
  hostCpus = cpus().length,
): MachineDescription {
  const caches = readCaches(join(directory, 'cache'));
  const find = (level: number): HostCache => {
    const cache = caches.find((one) => one.level === level);
    if (cache !== undefined) return cache;
    throw new DprofError(`the kernel does not describe a level ${level} data cache in ${directory}/cache`, INSTEAD);
  };
  const [l1, l2] = [find(1), find(2)];
  const llc = find(Math.max(3, ...caches.map((cache) => cache.level)));
  const geometry = (cache: HostCache, model: CacheLevel): CacheLevel => ({
    ...model,
    sizeBytes: cache.sizeBytes,
    ways: cache.ways,
  });
  return {
    ...DEFAULT_MACHINE,
    name: 'host',
    lineBytes: l1.lineBytes,
    l1: geometry(l1, DEFAULT_MACHINE.l1),
    l2: geometry(l2, DEFAULT_MACHINE.l2),
    llc: geometry(llc, DEFAULT_MACHINE.llc),
    ...groupsOf(l2, llc, readTopology(join(directory, 'topology')), hostCpus),
  };
}

interface Topology {
  /** CPUs of one core, and of one socket; undefined where the kernel does not say. */
  readonly siblings: number;
  readonly socketCpus: number | undefined;
}

/** Only groups of which there are several, and only such as nest: a hypervisor may say anything. */
function groupsOf(
  l2: HostCache,
  llc: HostCache,
  { siblings, socketCpus = Infinity }: Topology,
  hostCpus: number,
): Pick<MachineDescription, 'coresPerL2' | 'coresPerLlc' | 'coresPerSocket'> {
  const isGroup = (cpusOfIt: number, inner: number): boolean =>
    cpusOfIt > siblings && cpusOfIt < hostCpus && cpusOfIt % inner === 0;
  const coresOf = (cpusOfIt: number): number => Math.max(1, Math.floor(cpusOfIt / siblings));
  const hasL2Groups = isGroup(l2.sharedBy, siblings);
  const l2Cpus = hasL2Groups ? l2.sharedBy : siblings;
  const hasLlcGroups = llc.sharedBy < hostCpus && llc.sharedBy % l2Cpus === 0;
  const hasSockets = hasLlcGroups && socketCpus < hostCpus && socketCpus % llc.sharedBy === 0;
  return {
    ...(hasL2Groups ? { coresPerL2: coresOf(l2.sharedBy) } : {}),
    ...(hasLlcGroups ? { coresPerLlc: coresOf(llc.sharedBy) } : {}),
    ...(hasSockets ? { coresPerSocket: coresOf(socketCpus) } : {}),
  };
}

function readTopology(directory: string): Topology {
  const countFirst = (...files: string[]): number | undefined => {
    for (const file of files) {
      try {
        const count = countCpus(readFileSync(join(directory, file), 'utf8'));
        if (count >= 1) return count;
      } catch {
        // Older kernels have the other name only, and some containers neither.
      }
    }
    return undefined;
  };
  return {
    siblings: countFirst('core_cpus_list', 'thread_siblings_list') ?? 1,
    socketCpus: countFirst('package_cpus_list', 'core_siblings_list'),
  };
}

function readCaches(directory: string): HostCache[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^index\d+$/.test(name))
      .map((name) => {
        const read = (file: string): string => readFileSync(join(directory, name, file), 'utf8').trim();
        return { type: read('type'), level: Number(read('level')), read };
      })
      .filter(({ type }) => type !== 'Instruction')
      .map(({ level, read }) => {
        const [sizeBytes, lineBytes, ways] = [
          parseSize('size', read('size')),
          Number(read('coherency_line_size')),
          Number(read('ways_of_associativity')),
        ];
        // 0 ways are how the kernel spells fully associative.
        return {
          level,
          sizeBytes,
          lineBytes,
          ways: ways === 0 ? sizeBytes / lineBytes : ways,
          sharedBy: countCpus(read('shared_cpu_list')),
        };
      });
  } catch (error) {
    if (error instanceof DprofError) throw error;
    throw new DprofError(
      `the kernel does not describe this machine's caches (${(error as NodeJS.ErrnoException).code})`,
      INSTEAD,
    );
  }
}

/** "0-3,8" is 5 CPUs. */
function countCpus(list: string): number {
  return list
    .trim()
    .split(',')
    .reduce((sum, part) => {
      const [first, last = first] = part.split('-').map(Number);
      return sum + last - first + 1;
    }, 0);
}
