// Stage: command line. --cpi: cycles of an instruction where nothing misses, for whatever estimates run time.

import { DprofError } from '../base/dprof-error.js';
import { DEFAULT_CPI } from '../views/run-cycles.js';

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
