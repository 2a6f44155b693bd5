// Stage: profile -> collapsed stacks. One line for each stack and its weight, "struct args;struct args.sx;worker
// (main.c:12) 60": what flamegraph.pl, inferno and speedscope read.

import type { Profile } from '../profile/profile.js';
import { spellVisibly } from '../report/visible-text.js';
import { stackOf, listSamples, type Measure, type SampleChoice } from './samples.js';

export function* writeCollapsed(profile: Profile, choice: SampleChoice, { of }: Measure): Generator<string> {
  for (const sample of listSamples(profile, choice)) {
    const weight = of(sample.sums);
    if (weight > 0)
      yield `${stackOf(sample)
        .map(({ name }) => spellFrame(name))
        .join(';')} ${weight}\n`;
  }
}

/** A semicolon ends a frame. */
function spellFrame(name: string): string {
  return spellVisibly(name).replaceAll(';', '\\x3b');
}
