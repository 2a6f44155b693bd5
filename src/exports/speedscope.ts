// Stage: profile -> speedscope JSON. A flame graph for each measure: type, field, line of code.
// https://www.speedscope.app/file-format-schema.json

import type { Profile } from '../profile/profile.js';
import { choose, stackOf, listSamples, MEASURES, type ExportFrame, type SampleChoice } from './samples.js';

export function* writeSpeedscope(profile: Profile, choice: SampleChoice): Generator<string> {
  const samples = listSamples(profile, choice);
  const measures = choose(MEASURES, choice);
  const numbers = new Map<string, number>();
  const frames: ExportFrame[] = [];
  const numberOf = (frame: ExportFrame): number => {
    const key = JSON.stringify(frame);
    let number = numbers.get(key);
    if (number === undefined) {
      numbers.set(key, (number = frames.length));
      frames.push(frame);
    }
    return number;
  };
  const stacks = samples.map((sample) => stackOf(sample).map(numberOf));
  const profiles = measures.map(({ title, of }) => {
    const met = samples
      .map((sample, index) => ({ weight: of(sample.sums), stack: stacks[index] }))
      .filter(({ weight }) => weight > 0);
    return {
      type: 'sampled',
      name: title,
      unit: 'none',
      startValue: 0,
      endValue: met.reduce((sum, { weight }) => sum + weight, 0),
      samples: met.map(({ stack }) => stack),
      weights: met.map(({ weight }) => weight),
    };
  });
  const file = {
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    name: profile.run.command.join(' '),
    exporter: 'dprof',
    activeProfileIndex: measures.findIndex(({ name }) => name === 'l1-misses'),
    shared: { frames },
    profiles,
  };
  yield `${JSON.stringify(file)}\n`;
}
