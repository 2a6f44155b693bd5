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

/** Cycles of some bytes of machine code, and where the debug information puts them. */
export interface PlacedCycles {
  readonly file: string;
  /** 0: unknown. */
  readonly line: number;
  readonly cycles: number;
}

/** Sums, in files as the profile spells them. */
export function sumLineCycles({ files = [] }: Pick<Profile, 'files'>, placed: Iterable<PlacedCycles>): LineCycles {
  const spellings = new Map(files.map(({ spelling, path }) => [path, spelling]));
  const byFile = new Map<string, Map<number, number>>();
  let nowhere = 0;
  for (const { file, line, cycles } of placed) {
    if (line === 0 || file === '') {
      nowhere += cycles;
      continue;
    }
    const spelled = spellings.get(file) ?? file;
    const lines = byFile.get(spelled) ?? new Map<number, number>();
    byFile.set(spelled, lines.set(line, (lines.get(line) ?? 0) + cycles));
  }
  return { byFile, nowhere };
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
