// The flow of a drawing as text, with the names of the drawing.

import { NO_INDEX } from '../../src/base/ids.js';
import { ANY_KIND, PATH_ENDS, type FlowTables } from '../../src/contract/flow-result.js';
import { LEVELS, SERVERS } from '../../src/contract/machine.js';
import { OBJECT_KINDS } from '../../src/profile/profile.js';
import type { DrawnReplay } from '../drawn/replay-drawing.js';

export class FlowText {
  private readonly flow: FlowTables;

  constructor(private readonly replay: DrawnReplay) {
    if (replay.result.flow === undefined) throw new Error('a drawing whose flow was not asked for');
    this.flow = replay.result.flow;
  }

  /** "2x heap struct pair [12]: push t3 0-8 l1:1 4cy > +pop … freed": lives, lifetime, steps (+: changes core), end. */
  paths(): string[] {
    const { paths } = this.flow;
    return Array.from({ length: paths.count }, (_, row) => {
      const steps = Array.from({ length: paths.steps[row] }, (_, at) => this.step(paths.firstStep[row] + at));
      const flags = `${(paths.flags[row] & 1) === 0 ? '' : ' elsewhere'}${(paths.flags[row] & 2) === 0 ? '' : ' cut'}`;
      const words = [
        `${paths.lives[row]}x ${this.reading(paths.reading[row])} [${paths.lifetime[row]}]:`,
        steps.join(' > '),
        `| ${PATH_ENDS[paths.end[row]]}${this.function(' by ', paths.freeSlot[row])}${flags}`,
      ];
      return words.filter((word) => word !== '').join(' ');
    });
  }

  others(): string[] {
    const { otherPaths } = this.flow;
    return Array.from(
      { length: otherPaths.count },
      (_, row) => `${otherPaths.lives[row]}x ${this.reading(otherPaths.reading[row])}: ${otherPaths.references[row]}`,
    );
  }

  /** "l1 heap struct pair 12+3": line time and freed line time. */
  residency(): string[] {
    const { residency } = this.flow;
    return Array.from(
      { length: residency.count },
      (_, row) =>
        `${LEVELS[residency.level[row]]} ${this.reading(residency.reading[row])} ${residency.lineTime[row]}+` +
        `${residency.freedLineTime[row]}`,
    ).sort();
  }

  /** "l1 heap struct pair bin 0: 2 lines of 1". */
  objectBins(): string[] {
    const { objectBins } = this.flow;
    return Array.from(
      { length: objectBins.count },
      (_, row) =>
        `${LEVELS[objectBins.level[row]]} ${this.reading(objectBins.reading[row])} bin ${objectBins.bin[row]}: ` +
        `${objectBins.lines[row]} lines of ${objectBins.objects[row]}`,
    ).sort();
  }

  /** "l1 bin 0: 3", over all labels. */
  missBins(): string[] {
    const { missBins } = this.flow;
    const sums = new Map<string, number>();
    for (let row = 0; row < missBins.count; row++) {
      const key = `${LEVELS[missBins.level[row]]} bin ${missBins.bin[row]}`;
      sums.set(key, (sums.get(key) ?? 0) + missBins.misses[row]);
    }
    return [...sums].map(([key, misses]) => `${key}: ${misses}`).sort();
  }

  linesPerSet(): number[][] {
    return this.flow.linesPerSet.map((counts) => [...counts]);
  }

  private step(row: number): string {
    const { steps } = this.flow;
    const served = SERVERS.flatMap((server, at) => {
      const count = steps.served[row * SERVERS.length + at];
      return count === 0 ? [] : [`${server}:${count}`];
    });
    const place = steps.place[row] === NO_INDEX ? '(cut)' : this.function('', steps.place[row]);
    return (
      `${steps.changesCore[row] === 1 ? '+' : ''}${place} t${steps.time[row]} ${steps.beginOffset[row]}-` +
      `${steps.endOffset[row]} ${served.join(' ')} ${steps.latencyCycles[row]}cy`
    );
  }

  private function(before: string, slot: number): string {
    const { slots, functions } = this.replay.catalog;
    return slot === NO_INDEX ? '' : `${before}${functions.name[slots.function[slot]] || '?'}`;
  }

  private reading(row: number): string {
    const { kind, type, variable, sizeBytes } = this.flow.readings;
    const { types, variables } = this.replay.catalog;
    if (kind[row] === ANY_KIND)
      return type[row] !== 0 ? types.name[type[row]] : sizeBytes[row] !== 0 ? `${sizeBytes[row]}` : '(untyped)';
    const name =
      variable[row] !== 0
        ? variables.name[variable[row]]
        : type[row] !== 0
          ? types.name[type[row]]
          : `${sizeBytes[row]}`;
    return kind[row] === OBJECT_KINDS.length ? 'none' : `${OBJECT_KINDS[kind[row]]} ${name}`;
  }
}
