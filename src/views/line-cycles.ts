// Stage: profile -> views. Cycles of a program's own instructions by source line, and what lines wait for misses.

import type { Profile } from '../profile/profile.js';
import { RunTimes } from './run-time.js';

/** Estimated, of blocks that are counted, their data in the L1. */
export interface LineCycles {
  /** By file, as the profile spells it or else as the debug information does, and line. */
  readonly byFile: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Of instructions that the debug information puts on no line. */
  readonly nowhere: number;
}

/** Of the run, and of each function: of one that is inlined its own. */
export interface CodeCycles extends LineCycles {
  readonly byFunction: ReadonlyMap<string, LineCycles>;
}

const NONE: LineCycles = { byFile: new Map(), nowhere: 0 };

/** `name`: of a function alone. */
export function cyclesOf(code: CodeCycles, name: string | undefined): LineCycles {
  return name === undefined ? code : (code.byFunction.get(name) ?? NONE);
}

/** Cycles of some bytes of machine code, and where the debug information puts them. */
export interface PlacedCycles {
  readonly function: string;
  readonly file: string;
  /** 0: unknown. */
  readonly line: number;
  readonly cycles: number;
}

/** Sums, in files as the profile spells them. */
export function sumLineCycles({ files = [] }: Pick<Profile, 'files'>, placed: Iterable<PlacedCycles>): CodeCycles {
  const spellings = new Map(files.map(({ spelling, path }) => [path, spelling]));
  const all = new LineSums();
  const byFunction = new Map<string, LineSums>();
  for (const { function: name, file, line, cycles } of placed) {
    const spelled = line === 0 ? '' : (spellings.get(file) ?? file);
    const own = byFunction.get(name) ?? new LineSums();
    byFunction.set(name, own);
    for (const sums of [all, own]) sums.add(spelled, line, cycles);
  }
  return { byFile: all.byFile, nowhere: all.nowhere, byFunction };
}

class LineSums implements LineCycles {
  readonly byFile = new Map<string, Map<number, number>>();
  nowhere = 0;

  /** `file`: "" if unknown. */
  add(file: string, line: number, cycles: number): void {
    if (file === '') {
      this.nowhere += cycles;
      return;
    }
    const lines = this.byFile.get(file) ?? new Map<number, number>();
    this.byFile.set(file, lines.set(line, (lines.get(line) ?? 0) + cycles));
  }
}

/** Of a line, a file or the run. */
export interface ComputeAndWait {
  readonly computeCycles: number;
  readonly waitCycles: number;
}

/** `keyOf`: of rows of the tallies. Waits are as in `runCycles` of other views. */
export function waitsBy(profile: Profile, keyOf: (row: number) => string | null): (key: string) => number {
  const waitOf = new RunTimes(profile).by(keyOf);
  return (key) => waitOf(key).runCycles ?? 0;
}
