// Stage: views -> text. A simulated machine in one line: its caches, then whatever it has that a plain machine has not.

import { spellSize } from '../machine/sizes.js';
import {
  completeMachine,
  LEVEL_DEFAULTS,
  MACHINE_DEFAULTS,
  type CompleteLevel,
  type CompleteMachine,
} from '../contract/complete-machine.js';
import { LEVELS, type LevelName, type Machine, type Tlb, type TlbLevel } from '../contract/machine.js';

const names: Readonly<Record<LevelName, string>> = { l1: 'L1', l2: 'L2', llc: 'LLC' };

export function describeMachine(described: Machine): string {
  const machine = completeMachine(described);
  const { cores, lineBytes } = machine;
  const sharers = { l1: machine.coresPerL1, l2: machine.coresPerL2, llc: machine.coresPerLlc };
  const levels = LEVELS.map((level) => {
    const isPlain = level === 'llc' ? sharers.llc >= cores : sharers[level] === 1;
    return (
      `${names[level]} ${spellSize(machine[level].sizeBytes)}/${machine[level].ways}` +
      `${isPlain ? '' : ` per ${count(sharers[level], 'core')}`}`
    );
  });
  return [machine.name, count(cores, 'core'), ...levels, `lines of ${lineBytes} bytes`, ...differences(machine)].join(
    ', ',
  );
}

/** From the default machine, in few words. */
function differences(machine: CompleteMachine): string[] {
  const { cores, coresPerSocket, protocol, tlb, pageBytes, colouring, seed } = machine;
  const pages = `pages of ${spellSize(pageBytes)}`;
  const sockets = coresPerSocket < cores ? [`sockets of ${count(coresPerSocket, 'core')}`] : [];
  const isColoured = colouring !== MACHINE_DEFAULTS.colouring;
  const isRandom = colouring === 'random' || LEVELS.some((level) => machine[level].policy === 'random');
  return [
    ...LEVELS.flatMap((level) => levelDifferences(names[level], machine[level])),
    ...(protocol === MACHINE_DEFAULTS.protocol ? [] : [protocol.toUpperCase()]),
    ...sockets,
    ...(tlb === undefined ? [] : [describeTlb(tlb)]),
    ...(isColoured ? [`${colouring} colouring`] : []),
    // The page size matters to sockets too, since a page's memory is at the socket that touched it first.
    ...(tlb !== undefined || isColoured || sockets.length > 0 ? [pages] : []),
    ...(isRandom ? [`seed ${seed}`] : []),
  ];
}

function levelDifferences(name: string, { policy, inclusion, prefetchers }: CompleteLevel): string[] {
  return [
    ...(policy === LEVEL_DEFAULTS.policy ? [] : [`${name} ${policy}`]),
    ...(inclusion === LEVEL_DEFAULTS.inclusion ? [] : [`${name} ${inclusion}`]),
    ...(prefetchers.length === 0 ? [] : [`${name} prefetches ${prefetchers.join(' and ')}`]),
  ];
}

function describeTlb({ l1, l2 }: Tlb): string {
  const spell = ({ entries, ways }: TlbLevel): string => `${entries}/${ways}`;
  return `TLB ${spell(l1)}${l2 === undefined ? '' : ` and ${spell(l2)}`}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
