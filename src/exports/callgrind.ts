// Stage: profile -> callgrind.out. The code profile for KCachegrind and callgrind_annotate: costs by file, function and
// line. Their format has no place for data: pprof's and speedscope's have.
//
// Format: https://valgrind.org/docs/manual/cl-format.html. Names are numbered where they first stand, "(3) name": so
// one that begins with "(7)" is none.

import type { Profile } from '../profile/profile.js';
import { CLASSES } from '../contract/machine.js';
import { spellVisibly } from '../report/visible-text.js';
import type { CounterSums } from '../views/counter-sums.js';
import type { RowFilter } from '../views/view.js';
import { listSamples } from './samples.js';

export interface CallgrindEvent {
  readonly name: string;
  readonly of: (sums: CounterSums) => number;
}

const camel = (name: string): string => name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

/** The first one is what viewers sort by. */
export const CALLGRIND_EVENTS: readonly CallgrindEvent[] = [
  { name: 'L1Misses', of: (sums) => sums.misses('l1') },
  { name: 'L2Misses', of: (sums) => sums.misses('l2') },
  { name: 'LLCMisses', of: (sums) => sums.misses('llc') },
  ...CLASSES.map((name): CallgrindEvent => ({ name: camel(name), of: (sums) => sums.get(`l1.${name}`) })),
  { name: 'Loads', of: (sums) => sums.get('loads') },
  { name: 'Stores', of: (sums) => sums.get('stores') },
  { name: 'Cycles', of: (sums) => sums.get('latencyCycles') },
];

export function* writeCallgrind(profile: Profile, filter: RowFilter): Generator<string> {
  const samples = listSamples(profile, filter);
  const totals = CALLGRIND_EVENTS.map(({ of }) => samples.reduce((sum, { sums }) => sum + of(sums), 0));
  yield '# callgrind format\nversion: 1\ncreator: dprof\n';
  yield `cmd: ${spellVisibly(profile.run.command.join(' '))}\npositions: line\nevents: ` +
    `${CALLGRIND_EVENTS.map(({ name }) => name).join(' ')}\n`;
  yield `summary: ${totals.join(' ')}\n\nob=(1) ${spellVisibly(profile.run.command[0] || '???')}\n`;
  const [files, functions] = [new NumberedNames(), new NumberedNames()];
  const groups = new Map<string, { file: string; name: string; lines: Map<number, number[]> }>();
  for (const { file, function: name, line, sums } of samples) {
    const key = JSON.stringify([file, name]);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { file: file ?? '???', name: name ?? '???', lines: new Map() }));
    const costs = group.lines.get(line) ?? CALLGRIND_EVENTS.map(() => 0);
    CALLGRIND_EVENTS.forEach(({ of }, event) => (costs[event] += of(sums)));
    group.lines.set(line, costs);
  }
  for (const { file, name, lines } of groups.values()) {
    yield `fl=${files.spell(file)}\nfn=${functions.spell(name)}\n`;
    for (const [line, costs] of [...lines].sort(([a], [b]) => a - b)) yield `${line} ${costs.join(' ')}\n`;
    yield '\n';
  }
  yield `totals: ${totals.join(' ')}\n`;
}

class NumberedNames {
  readonly #numbers = new Map<string, number>();

  spell(name: string): string {
    const known = this.#numbers.get(name);
    if (known !== undefined) return `(${known})`;
    this.#numbers.set(name, this.#numbers.size + 1);
    return `(${this.#numbers.size}) ${spellVisibly(name)}`;
  }
}
