// Stage: command line. --cpi: cycles of an instruction where nothing misses, for whatever estimates run time.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { DEFAULT_CPI } from '../views/run-cycles.js';
import type { Cpi } from '../views/view.js';

export interface CpiFlags {
  readonly cpi?: string;
}

/** For commands whose views have a column `of time`. */
export function addCpiFlag(command: Command): Command {
  return command.option(
    '--cpi <cycles>',
    `of an instruction where nothing misses, for 'of time' (default: ${DEFAULT_CPI}); measured`,
  );
}

/** `measure`: the code's blocks, where they are asked for; undefined: as without the option. */
export async function cpiOf({ cpi }: CpiFlags, measure: () => Promise<Cpi>): Promise<Cpi | undefined> {
  if (cpi === undefined) return undefined;
  const given = parseCpi(cpi);
  return given === null ? measure() : { cycles: given, isMeasured: false };
}

/** null: it is to be measured. */
export function parseCpi(text: string): number | null {
  if (text === 'measured') return null;
  const cpi = Number(text);
  if (!(text.trim() !== '' && cpi > 0 && cpi <= 100))
    throw new DprofError(
      `--cpi: '${text}' is no number of cycles up to 100`,
      `for example --cpi ${DEFAULT_CPI}, or --cpi measured`,
      2,
    );
  return cpi;
}
