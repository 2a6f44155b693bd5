// Rows of ended objects in a file: the same objects, in the same order, as without one, whatever memory they may have;
// and what a disk can refuse.

import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { NO_INDEX } from '../../src/base/ids.js';
import { closeObjects as closeProfile, listObjects as listProfile } from '../../src/profile/object-source.js';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { readProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile, writeProfile } from '../../src/profile/profile-writer.js';
import type { Profile, RunFacts } from '../../src/profile/profile.js';
import type { ReplayInput } from '../../src/contract/input.js';
import { replayInput } from '../../src/replay/open-trace.js';
import type { ReplayResult } from '../../src/contract/result.js';
import { closeObjects, countObjects, listObjects } from '../../src/replay/stored-objects.js';
import { buildAddressSet } from '../../src/views/address-set.js';
import { buildDataProfile } from '../../src/views/data-profile.js';
import { replayNatively } from './replay-natively.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { openWithFlow } from './open-with-flow.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-stored-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run: RunFacts = {
  command: ['a'],
  ended: 'exited with status 0',
  truncated: false,
  addressRandomisation: false,
  threads: 1,
  refusals: {},
  stampsPerSecond: 1,
};
const machine = Array.from({ length: 50 }, (_, seed) => randomMachine(seed)).find(({ cores }) => cores >= 4)!;
const schedule = { kind: 'logical' } as const;

function inputOf(seed: number): ReplayInput {
  return replayInput(openWithFlow(traceFile(randomTrace(seed, { actions: 200 }))), machine, schedule);
}

function profileOf(result: ReplayResult, { catalog }: ReplayInput): Profile {
  return buildProfile(result, catalog, { run, machine, schedule });
}

test('objects in a file are those in memory, however little memory they may have', () => {
  let pairs = 0;
  for (let seed = 1; seed <= 3; seed++) {
    const input = inputOf(seed);
    const inMemory = replayNatively(input);
    const whole = profileOf(inMemory, input);
    expect(inMemory.objects.count).toBeGreaterThan(10);
    pairs += inMemory.sharing.missObject.filter((object) => object !== NO_INDEX).length;
    for (const memoryBytes of [1, 5000]) {
      const stored = replayNatively({ ...input, spill: { folder, memoryBytes } }, 2);
      expect([countObjects(stored), stored.objects.count]).toEqual([inMemory.objects.count, 0]);
      const profile = profileOf(stored, input);
      expect(
        Buffer.concat(encodeProfile(profile)).equals(Buffer.concat(encodeProfile(whole))),
        `seed ${seed}, ${memoryBytes} bytes`,
      ).toBe(true);
      expect(buildDataProfile(profile)).toEqual(buildDataProfile(whole));
      expect(buildAddressSet(profile)).toEqual(buildAddressSet(whole));
      closeProfile(profile);
    }
  }
  expect(pairs).toBeGreaterThan(10); // whose sides are looked up in the file
  expect(readdirSync(folder)).toEqual([]);
});

test('objects of a window in which nothing missed have no counters: their file ends with them', () => {
  let odd = 0;
  for (let seed = 1; seed <= 8; seed++) {
    const input = inputOf(seed);
    const { references } = replayNatively(input).totals;
    const late: ReplayInput = { ...input, window: { from: { kind: 'reference', references } } };
    const whole = profileOf(replayNatively(late), late);
    const stored = replayNatively({ ...late, spill: { folder, memoryBytes: 1 } });
    const { rows, counters } = stored.storedObjects!;
    odd += Number(counters.at(-1) === 0 && rows.at(-1)! % 2 === 1); // rows of 84 bytes, tables at multiples of 8
    const profile = profileOf(stored, late);
    expect(Buffer.concat(encodeProfile(profile)).equals(Buffer.concat(encodeProfile(whole))), `seed ${seed}`).toBe(
      true,
    );
    closeProfile(profile);
  }
  expect(odd).toBeGreaterThan(0);
});

test('columns that are missing, or of another width, are refused: the engine is of another build', () => {
  const input = inputOf(1);
  const stored = replayNatively({ ...input, spill: { folder, memoryBytes: 1 } });
  const { objectColumns, ...others } = stored.storedObjects!;
  const lists = [
    objectColumns.filter(({ name }) => name !== 'flags'),
    objectColumns.map((column) => (column.name === 'core' ? { ...column, bytes: 1 } : column)),
  ];
  for (const list of lists) {
    const other = { ...stored, storedObjects: { ...others, objectColumns: list } };
    expect(() => [...listObjects(other)]).toThrow(/^the engine stores other columns of objects: address, sizeBytes/);
  }
  expect([...listObjects(stored)].length).toBeGreaterThan(0);
  closeObjects(stored);
});

test('a few objects need no file', () => {
  const input = inputOf(1);
  expect(
    replayNatively({ ...input, spill: { folder: join(folder, 'nowhere'), memoryBytes: 1 << 20 } }).storedObjects,
  ).toBeUndefined();
});

test('a folder that cannot be written is an error with a hint', () => {
  const missing = join(folder, 'nowhere');
  expect(() => replayNatively({ ...inputOf(1), spill: { folder: missing, memoryBytes: 1 } })).toThrow(
    expect.objectContaining({
      message: `cannot make a file in ${missing}: No such file or directory`,
      hint: 'name a folder with room for the objects of the run: TMPDIR=FOLDER dprof ...',
    }),
  );
});

test('the file has no name, and is gone when it is closed', () => {
  const result = replayNatively({ ...inputOf(1), spill: { folder, memoryBytes: 1 } });
  const { file } = result.storedObjects!;
  expect(readlinkSync(`/proc/self/fd/${file}`)).toMatch(/ \(deleted\)$/);
  closeObjects(result);
  expect(() => readlinkSync(`/proc/self/fd/${file}`)).toThrow('ENOENT');
});

/** The objects of a result over and over, as in a long run: times go on. */
function repeated(result: ReplayResult, times: number): ReplayResult {
  const [{ objects, counters }] = [...listObjects(result)];
  const span = result.totals.instructions;
  const repeat = (column: ArrayLike<number>, add: number): Float64Array =>
    Float64Array.from({ length: column.length * times }, (_, at) => {
      const value = column[at % column.length];
      return value === -1 ? span * times : value + add * Math.floor(at / column.length);
    });
  const table = (columns: object, added: Readonly<Record<string, number>>): object =>
    Object.fromEntries(
      Object.entries(columns as Record<string, number | Uint8Array>).map(([name, column]) => [
        name,
        typeof column === 'number'
          ? column * times
          : name in added
            ? repeat(column, added[name])
            : (column.constructor as Uint8ArrayConstructor).from(repeat(column, 0)),
      ]),
    );
  return {
    ...result,
    objects: table(objects, { bornAt: span, diedAt: span }) as ReplayResult['objects'],
    objectCounters: {
      ...table(counters, { object: objects.count }),
      object: Uint32Array.from(repeat(counters.object, objects.count)),
    } as ReplayResult['objectCounters'],
  };
}

test('a profile of many objects is read chunk by chunk, and says what it says in memory', async () => {
  const input = inputOf(2);
  const once = replayNatively(input);
  const whole = profileOf(repeated(once, Math.ceil(270_000 / once.objects.count)), input);
  const path = join(folder, 'many.dprofile');
  await writeProfile(whole, path);
  const profile = readProfile(path);
  expect(profile.objectSource?.count).toBe(whole.objects.address.length);
  expect(Array.from(listProfile(profile), ({ first }) => first)).toEqual(
    [0, 1, 2, 3, 4].map((chunk) => chunk * 65_536),
  );
  expect(buildDataProfile(profile)).toEqual(buildDataProfile(whole));
  const bytes = ({ objects, objectCounters }: Profile): Buffer =>
    Buffer.concat([objects.bornAt, objectCounters.object].map(({ buffer }) => Buffer.from(buffer)));
  expect(bytes(profile).equals(bytes(whole))).toBe(true);
  const again = join(folder, 'again.dprofile');
  await writeProfile(profile, again);
  expect(readFileSync(again).equals(readFileSync(path))).toBe(true);
  closeProfile(profile);
});
