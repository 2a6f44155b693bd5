// Stage: profile -> pprof (gzipped protocol buffers). Several sample types; labels type, field and class: `pprof
// -tagroot=type -sample_index=l1_misses`.

import { gzipSync } from 'node:zlib';
import {
  Profile as PprofProfile,
  StringTable,
  type LabelInput,
  type ProfileInput,
  type SampleInput,
} from 'pprof-format';
import type { Profile } from '../profile/profile.js';
import { CLASSES, LEVELS } from '../contract/machine.js';
import { placesOf, type ExportPlace, type ExportSums } from './export-sample.js';
import { choose, listSamples, type SampleChoice } from './samples.js';

/** A sample of a class has its misses; one without a class everything else: so each column's sum is the run's. */
interface SampleType {
  readonly type: string;
  readonly unit: string;
  readonly whole: (sums: ExportSums) => number;
  readonly ofClass: (sums: ExportSums, name: (typeof CLASSES)[number]) => number;
  readonly isOfAccesses?: true;
}

export const PPROF_SAMPLE_TYPES: readonly SampleType[] = [
  { type: 'references', unit: 'count', whole: (sums) => sums.references, ofClass: () => 0 },
  ...LEVELS.map(
    (level): SampleType => ({
      type: `${level}_misses`,
      unit: 'count',
      whole: () => 0,
      ofClass: (sums, name) => sums.get(`${level}.${name}`),
    }),
  ),
  {
    type: 'cycles',
    unit: 'cycles',
    whole: (sums) => sums.get('latencyCycles'),
    ofClass: () => 0,
    isOfAccesses: true,
  },
  { type: 'miss_cycles', unit: 'cycles', whole: (sums) => sums.get('missLatencyCycles'), ofClass: () => 0 },
];

export function* writePprof(profile: Profile, choice: SampleChoice): Generator<Uint8Array> {
  const sampleTypes = choose(PPROF_SAMPLE_TYPES, choice);
  const strings = new StringTable();
  const text = (value: string): number => strings.dedup(wellFormed(value));
  const functions = new Map<string, { id: number; name: string; file: string }>();
  const locations = new Map<string, { id: number; functionId: number; line: number }>();
  const locate = ({ function: name, file, line }: ExportPlace): number => {
    const key = JSON.stringify([name, file]);
    let own = functions.get(key);
    if (own === undefined)
      functions.set(key, (own = { id: functions.size + 1, name: name ?? '(unknown)', file: file ?? '' }));
    const place = `${own.id}:${line}`;
    let location = locations.get(place);
    if (location === undefined) locations.set(place, (location = { id: locations.size + 1, functionId: own.id, line }));
    return location.id;
  };
  const sample: SampleInput[] = listSamples(profile, choice).flatMap((one) => {
    const labels: LabelInput[] = [
      { key: text('type'), str: text(one.type) },
      ...(one.field === null ? [] : [{ key: text('field'), str: text(one.field) }]),
    ];
    const locationId = placesOf(one).map(locate).reverse(); // the innermost first
    const parts = [
      { value: sampleTypes.map(({ whole }) => whole(one.sums)), label: labels },
      ...CLASSES.map((name) => ({
        value: sampleTypes.map(({ ofClass }) => ofClass(one.sums, name)),
        label: [...labels, { key: text('class'), str: text(name) }],
      })),
    ];
    return parts.filter(({ value }) => value.some((count) => count !== 0)).map((part) => ({ locationId, ...part }));
  });
  const { recordedAt, command } = profile.run;
  const input: ProfileInput = {
    sampleType: sampleTypes.map(({ type, unit }) => ({ type: text(type), unit: text(unit) })),
    sample,
    mapping: [
      { id: 1, filename: text(command[0] ?? ''), hasFunctions: true, hasFilenames: true, hasLineNumbers: true },
    ],
    location: [...locations.values()].map(({ id, functionId, line }) => ({
      id,
      mappingId: 1,
      line: [{ functionId, line }],
    })),
    function: [...functions.values()].map(({ id, name, file }) => ({
      id,
      name: text(name),
      systemName: text(name),
      filename: text(file),
    })),
    stringTable: strings,
    ...(recordedAt !== undefined && { timeNanos: BigInt(recordedAt) * 1_000_000_000n }),
    comment: [text(`dprof: ${command.join(' ')}`)],
    defaultSampleType: text('l1_misses'),
  };
  yield gzipSync(new PprofProfile(input).encode());
}

/** Half a surrogate pair has no UTF-8. */
function wellFormed(value: string): string {
  return Buffer.from(value).toString();
}
