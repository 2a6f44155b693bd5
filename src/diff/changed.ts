// Stage: diff. The changes that are worth a look: whether anything of a row changed, and which class of misses changed
// most.

import { CLASSES, LEVELS, type MissClass } from '../contract/machine.js';
import { changeOf, type BeforeAfter, type CountChange } from './change.js';
import type { ObjectsChange, TypeChangeRow } from './type-changes.js';

export function hasChanged({
  loads,
  stores,
  latencyCycles,
  missLatencyCycles,
  levels,
  objects,
}: TypeChangeRow): boolean {
  const isOther = (count: BeforeAfter): boolean => count.change !== 0;
  const moved = [
    loads,
    stores,
    latencyCycles,
    missLatencyCycles,
    ...LEVELS.flatMap((level) => [levels[level].misses, ...Object.values(levels[level].classes)]),
  ];
  return (
    moved.some((count) => isOther(count) || (count.perWork !== undefined && isOther(count.perWork))) ||
    (objects !== null && haveObjectsChanged(objects))
  );
}

export function haveObjectsChanged({
  objects,
  averageLiveObjects,
  peakLiveObjects,
  workingSetBytes,
  bounce,
  writeShared,
}: ObjectsChange): boolean {
  return (
    [objects, averageLiveObjects, peakLiveObjects, workingSetBytes].some(({ change }) => change !== 0) ||
    bounce.before !== bounce.after ||
    writeShared.before !== writeShared.after
  );
}

export interface ClassChange {
  readonly name: MissClass;
  /** The class's part of the changes of all classes, each taken as a positive number. */
  readonly share: number;
}

/** null: no class changed. */
export function mostChangedClass(classes: Readonly<Record<MissClass, CountChange>>): ClassChange | null {
  const changes = CLASSES.map((name) => ({ name, size: Math.abs(changeOf(classes[name])) }));
  const sum = changes.reduce((total, { size }) => total + size, 0);
  if (sum === 0) return null;
  const [{ name, size }] = [...changes].sort((a, b) => b.size - a.size);
  return { name, share: size / sum };
}
