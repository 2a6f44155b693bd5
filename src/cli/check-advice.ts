// Stage: command line. `dprof check`: what dprof advise says of what failed. Loaded only then: it is much code.

import { isatty } from 'node:tty';
import { adviceJson } from '../advise/advice-json.js';
import { DEFAULT_LEAST_GAIN, DEFAULT_THRESHOLDS } from '../advise/thresholds.js';
import type { ProgramResult } from '../check/check-result.js';
import type { Verdict } from '../check/judge.js';
import { findSubject } from '../check/subject.js';
import type { Profile } from '../profile/profile.js';
import { renderFinding } from '../report/advice-text.js';
import { chooseStyle } from '../report/text-style.js';
import { adviceOn } from './advise-on.js';
import type { ReplayRequest } from './machine-options.js';

export interface Advice {
  readonly findings: ProgramResult['advice'];
  readonly paragraphs: readonly string[];
}

/** What dprof advise says of the types that failed; of the whole run, if that failed. */
export async function adviceOf(
  trace: string,
  profile: Profile,
  request: ReplayRequest,
  failed: readonly Verdict[],
): Promise<Advice> {
  const asked = { share: DEFAULT_THRESHOLDS.cycles, leastGain: DEFAULT_LEAST_GAIN, top: 5, cpi: 0.3 };
  const { advice, head } = await adviceOn(trace, trace, request, asked);
  const types = failed.map(({ statement }) => findSubject(profile, statement.subject).type);
  const isOfAll = types.includes(undefined);
  const { width } = chooseStyle(isatty(1) ? process.stdout : {}, process.env);
  const { findings } = adviceJson(advice, head);
  const own = advice.findings
    .map((finding, at) => ({ finding, json: findings[at] }))
    .filter(({ json }) => isOfAll || types.includes(json.type));
  return {
    findings: own.map(({ json }) => json),
    paragraphs: own.map(({ finding }, at) => renderFinding(finding, at + 1, advice.before, head, width)),
  };
}
