// Stage: test. Tables of a profile that have to be asked for: profiles without them, and what a hostile one may say.

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import type { Profile } from '../../src/profile/profile.js';
import { catalog, facts, handMadeResult } from './hand-made-run.js';

const profile = buildProfile(handMadeResult(), catalog, facts);
const { sharedVariables, sharedAddresses, locks, lockThreads, lockCallers, lockData, ...without } = profile;

const encode = (of: Profile): Buffer => Buffer.concat(encodeProfile(of));
const reading = (change: object) => (): Profile => decodeProfile(encode({ ...profile, ...change } as Profile));

test('a profile without them is read back without them', () => {
  expect(decodeProfile(encode(without))).toEqual(without);
});

test('the table of shared variables and what is said of it come together, each row whole', () => {
  expect(decodeProfile(encode(profile)).sharedVariables).toEqual(sharedVariables);
  expect(reading({ sharedAddresses: undefined })).toThrow(
    'profile sharedAddresses at offset 32: expected it and the table sharedVariables, found one of them',
  );
  expect(() => decodeProfile(encode({ ...without, sharedAddresses }))).toThrow('found one of them');
  expect(reading({ sharedAddresses: { ...sharedAddresses, kept: -1 } })).toThrow(
    'profile sharedAddresses at offset 32: expected counts of addresses and accesses',
  );
  expect(reading({ sharedAddresses: { ...sharedAddresses, isFull: 'no' } })).toThrow(
    'expected counts of addresses and accesses',
  );
  const rows = sharedVariables!.thread.length;
  expect(reading({ sharedVariables: { ...sharedVariables, thread: new Uint32Array(1) } })).toThrow(
    `column sharedVariables.thread at offset 0: expected ${rows} rows, found 1`,
  );
  expect(reading({ sharedVariables: { ...sharedVariables, variable: new Uint32Array(rows).fill(999) } })).toThrow(
    'column sharedVariables.variable, row 0, at offset 0: expected an index below',
  );
  expect(reading({ sharedVariables: { ...sharedVariables, site: new Uint32Array(rows).fill(999) } })).toThrow(
    'column sharedVariables.site, row 0, at offset 0: expected an index below',
  );
  expect(reading({ sharedVariables: { ...sharedVariables, type: new Uint32Array(rows).fill(999) } })).toThrow(
    'column sharedVariables.type, row 0, at offset 0: expected an index below',
  );
});

test('tables of locks come together, and their parts name rows that there are', () => {
  expect(decodeProfile(encode(profile))).toEqual(profile);
  expect(() => decodeProfile(encode({ ...without, locks, lockData }))).toThrow(
    'column list at offset 32: expected all tables of locks, or none, found none of lockThreads, lockCallers',
  );
  expect(reading({ locks: { ...locks, wait: new Float64Array(1) } })).toThrow(
    'column locks.wait at offset 0: expected 3 rows, found 1',
  );
  expect(reading({ locks: { ...locks, name: new Uint32Array(3).fill(999) } })).toThrow(
    'column locks.name, row 0, at offset 0: expected an index below',
  );
  expect(reading({ locks: { ...locks, type: new Uint32Array(3).fill(999) } })).toThrow(
    'column locks.type, row 0, at offset 0: expected an index below',
  );
  expect(reading({ lockThreads: { ...lockThreads, lock: new Uint32Array(4).fill(3) } })).toThrow(
    'column lockThreads.lock, row 0, at offset 0: expected an index below 3, found 3',
  );
  expect(reading({ lockCallers: { ...lockCallers, callPath: new Uint32Array(4).fill(999) } })).toThrow(
    'column lockCallers.callPath, row 0, at offset 0: expected an index below',
  );
  expect(reading({ lockData: { ...lockData, type: new Uint32Array(3).fill(999) } })).toThrow(
    /^column lockData\.(lock|type)/,
  );
});
