// Stage: hardware. The parts of a data source to one answer: who supplied the bytes. Processors say it in two ways, an
// old mask of levels and a level number with remote and hops; where both are there, the number is the exact one.
// docs/hardware-samples.md has the table.

import { Level, LevelNumber, Operation, Snoop, type DataSourceParts } from './data-source-bits.js';

/** `past-`: all that is known is that the level missed. */
const SERVED_BY = [
  'unknown',
  'L1',
  'fill-buffer',
  'L2',
  'L3',
  'other-cache',
  'remote-cache',
  'memory',
  'remote-memory',
  'io',
  'uncached',
  'past-L1',
  'past-L2',
  'past-L3',
] as const;
export type ServedBy = (typeof SERVED_BY)[number];

export function findServer({ operation, level, levelNumber, snoop, remote, hops }: DataSourceParts): ServedBy {
  if ((operation & ~Operation.notAvailable) === 0) return 'unknown';
  if ((level & Level.miss) !== 0) return pastLevel(level);
  const isFromCore = (snoop & (Snoop.hitModified | Snoop.forward | Snoop.peer)) !== 0;
  // Hop 0 is another core of the same node, which the kernel calls remote too.
  const isFar = remote === 1 && hops !== 1;
  switch (levelNumber) {
    case LevelNumber.l0:
    case LevelNumber.l1:
      return 'L1';
    case LevelNumber.lfb:
      return 'fill-buffer';
    case LevelNumber.l2:
    case LevelNumber.l2MissBuffer:
      return isFromCore || remote === 1 ? cacheOf(isFar) : 'L2';
    case LevelNumber.l3:
    case LevelNumber.l4:
      return isFromCore || remote === 1 ? cacheOf(isFar) : 'L3';
    case LevelNumber.anyCache:
      // IBS before Zen 4: an L3, or a cache on the same node.
      return (level & Level.l3) !== 0 && !isFromCore && !isFar ? 'L3' : cacheOf(isFar);
    case LevelNumber.memory:
    case LevelNumber.cxl:
    case LevelNumber.persistentMemory:
    case LevelNumber.memorySideCache:
      return isFar ? 'remote-memory' : 'memory';
    case LevelNumber.io:
      return 'io';
    case LevelNumber.uncached:
      return 'uncached';
  }
  return byMask(level, isFromCore, isFar);
}

function byMask(level: number, isFromCore: boolean, isFar: boolean): ServedBy {
  if (level & Level.l1) return 'L1';
  if (level & Level.lfb) return 'fill-buffer';
  if (level & Level.l2) return isFromCore ? 'other-cache' : 'L2';
  if (level & Level.l3) return isFromCore ? 'other-cache' : 'L3';
  if (level & (Level.remoteCache1 | Level.remoteCache2)) return 'remote-cache';
  if (level & Level.localMemory) return 'memory';
  if (level & (Level.remoteMemory1 | Level.remoteMemory2)) return 'remote-memory';
  if (level & Level.io) return 'io';
  if (level & Level.uncached) return 'uncached';
  return isFromCore ? cacheOf(isFar) : 'unknown';
}

function pastLevel(level: number): ServedBy {
  if (level & Level.l3) return 'past-L3';
  if (level & Level.l2) return 'past-L2';
  return level & Level.l1 ? 'past-L1' : 'unknown';
}

function cacheOf(isFar: boolean): ServedBy {
  return isFar ? 'remote-cache' : 'other-cache';
}
