// Stage: profile -> callgrind.out. The code profile for KCachegrind and callgrind_annotate: costs by file, function and
// line. Their format has no place for data: pprof's and speedscope's have.
//
// Format: https://valgrind.org/docs/manual/cl-format.html. Names are numbered where they first stand, "(3) name": so
// one that begins with "(7)" is none.

import type { Profile } from '../profile/profile.js';
import { CLASSES } from '../contract/machine.js';
import { spellVisibly } from '../report/visible-text.js';
import { placesOf, type ExportPlace, type ExportSums } from './export-sample.js';
import { choose, listSamples, type SampleChoice } from './samples.js';

export interface CallgrindEvent {
  readonly name: string;
  readonly of: (sums: ExportSums) => number;
  readonly isOfAccesses?: true;
}

const camel = (name: string): string => name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

/** The first one is what viewers sort by. */
export const CALLGRIND_EVENTS: readonly CallgrindEvent[] = [
  { name: 'L1Misses', of: (sums) => sums.misses('l1') },
  { name: 'L2Misses', of: (sums) => sums.misses('l2') },
  { name: 'LLCMisses', of: (sums) => sums.misses('llc') },
  ...CLASSES.map((name): CallgrindEvent => ({ name: camel(name), of: (sums) => sums.get(`l1.${name}`) })),
  { name: 'Loads', of: (sums) => sums.get('loads'), isOfAccesses: true },
  { name: 'Stores', of: (sums) => sums.get('stores'), isOfAccesses: true },
  { name: 'Cycles', of: (sums) => sums.get('latencyCycles'), isOfAccesses: true },
];

/** Instead of those of accesses. */
const OF_SITES: readonly CallgrindEvent[] = [
  { name: 'References', of: (sums) => sums.references },
  { name: 'MissCycles', of: (sums) => sums.get('missLatencyCycles') },
];

export function callgrindEvents(choice: SampleChoice): readonly CallgrindEvent[] {
  return [...choose(CALLGRIND_EVENTS, choice), ...(choice.by === 'site' ? OF_SITES : [])];
}

interface Group {
  readonly file: string;
  readonly name: string;
  readonly lines: Map<number, number[]>;
  /** By the line of the call, and the function that it leads to: what is spent in it. */
  readonly calls: Map<string, number[]>;
}

export function* writeCallgrind(profile: Profile, choice: SampleChoice): Generator<string> {
  const samples = listSamples(profile, choice);
  const events = callgrindEvents(choice);
  const totals = events.map(({ of }) => samples.reduce((sum, { sums }) => sum + of(sums), 0));
  yield '# callgrind format\nversion: 1\ncreator: dprof\n';
  yield `cmd: ${spellVisibly(profile.run.command.join(' '))}\npositions: line\nevents: ` +
    `${events.map(({ name }) => name).join(' ')}\n`;
  yield `summary: ${totals.join(' ')}\n\nob=(1) ${spellVisibly(profile.run.command[0] || '???')}\n`;
  const [files, functions] = [new NumberedNames(), new NumberedNames()];
  const groups = new Map<string, Group>();
  const groupOf = ({ file, function: name }: ExportPlace): Group => {
    const key = JSON.stringify([file, name]);
    let group = groups.get(key);
    if (group === undefined)
      groups.set(key, (group = { file: file ?? '???', name: name ?? '???', lines: new Map(), calls: new Map() }));
    return group;
  };
  const add = <Key>(to: Map<Key, number[]>, key: Key, sums: ExportSums): void => {
    const costs = to.get(key) ?? events.map(() => 0);
    events.forEach(({ of }, event) => (costs[event] += of(sums)));
    to.set(key, costs);
  };
  for (const sample of samples) {
    const { sums } = sample;
    const places = placesOf(sample);
    // Costs stand where the access is; what is inlined, or led to an allocation, reads as a call.
    places.forEach((place, at) => {
      const next = places[at + 1];
      const group = groupOf(place);
      if (next === undefined) add(group.lines, place.line, sums);
      else add(group.calls, JSON.stringify([place.line, next.file ?? '???', next.function ?? '???', next.line]), sums);
    });
  }
  for (const { file, name, lines, calls } of groups.values()) {
    yield `fl=${files.spell(file)}\nfn=${functions.spell(name)}\n`;
    for (const [line, costs] of [...lines].sort(([a], [b]) => a - b)) yield `${line} ${costs.join(' ')}\n`;
    for (const [call, costs] of calls) {
      const [line, toFile, to, toLine] = JSON.parse(call) as [number, string, string, number];
      yield `cfi=${files.spell(toFile)}\ncfn=${functions.spell(to)}\n`;
      yield `calls=1 ${toLine}\n${line} ${costs.join(' ')}\n`;
    }
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
