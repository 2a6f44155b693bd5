// Stage: test. A replay in shards, as a user does it: the bytes of one replay; parts that do not belong together, are
// missing, or are damaged.

import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { atLength } from '../at-length.js';
import { recordOrders } from '../recorded/orders.js';
import { outputOf, runDprof } from './command-client.js';

const LIES = atLength(20, 200);
const PLACES = atLength(12, 100);

const folder = mkdtempSync(join(tmpdir(), 'dprof-shards-'));
const at = (name: string): string => join(folder, name);
const trace = at('orders.dptrace');
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(() => recordOrders(folder));

/** Their files. */
function makeShards(count: number, name: string, flags: readonly string[], first = 1): string[] {
  const files = Array.from({ length: count }, (_, at_) => at(`${name}-${at_ + first}`));
  files.forEach((file, index) =>
    outputOf(['replay', trace, '--shard', `${index + first}/${count}`, '-o', file, ...flags]),
  );
  return files;
}

const REPLAYS: readonly (readonly [shards: number, flags: string])[] = [
  [1, ''],
  [2, '--schedule recorded'],
  [4, '--schedule random:7 --cores 2'],
  [8, '--cores 1 --no-flow'],
  [64, '--l1 4K/2 --l2 32K/8 --llc 256K/16'],
  [5, '--from 20K --to 120K --line 128'],
  [3, '--machine paper --shared-variables --kernel-stores --map cpu --path-by line'],
];

test.each(REPLAYS)('%i shards %s', (count, spelled) => {
  const flags = spelled.split(' ').filter(Boolean);
  outputOf(['replay', trace, '-o', at('whole.dprofile'), ...flags]);
  const parts = makeShards(count, 'part', flags);
  outputOf(['merge', '--shards', ...parts.reverse(), '-o', at('joined.dprofile')]);
  expect(Buffer.compare(readFileSync(at('joined.dprofile')), readFileSync(at('whole.dprofile')))).toBe(0);
});

test('shards may be counted from 0', () => {
  outputOf(['replay', trace, '-o', at('whole.dprofile')]);
  const parts = makeShards(2, 'zero', [], 0);
  outputOf(['merge', '--shards', ...parts, '-o', at('joined.dprofile')]);
  expect(Buffer.compare(readFileSync(at('joined.dprofile')), readFileSync(at('whole.dprofile')))).toBe(0);
});

const refused = (...words: string[]): unknown => {
  const { status, stdout, stderr } = runDprof(words);
  expect(stdout).toBe('');
  return [status, stderr.replaceAll(`${folder}/`, '').split('\n')[0]];
};

test('what is no shard, or cannot be one', () => {
  const shard = (text: string, ...flags: string[]): unknown =>
    refused('replay', trace, '--shard', text, '-o', at('none'), ...flags);
  for (const text of ['3/2', '1/0', '1', 'a/b', '1/9999', '-1/2'])
    expect(shard(text)).toEqual([2, `dprof: --shard: '${text}' is no share of a replay`]);
  expect(shard('1/2', '--machine', 'zen3')).toEqual([
    2,
    'dprof: a shard cannot be exact on zen3: its prefetchers fetch lines of other shards',
  ]);
  expect(shard('1/2', '--policy', 'random')).toEqual([
    2,
    'dprof: a shard cannot be exact on default: random replacement draws for all sets in turn',
  ]);
  expect(shard('1/2', '--engine', 'ts')).toEqual([2, 'dprof: shards need the native engine']);
  expect(shard('1/2', '--schedules', '4')).toEqual([
    2,
    'dprof: --schedules does nothing with --shard: a shard is of one order',
  ]);
  expect(refused('replay', trace, '--shard', '1/2', '-o', '-')).toEqual([2, 'dprof: a shard is a file']);
  expect(existsSync(at('none'))).toBe(false);
  expect(readdirSync(folder).filter((name) => name.endsWith('.incomplete'))).toEqual([]);
});

test('a full disk, and a device that stays one', () => {
  expect(refused('replay', trace, '--shard', '1/2', '-o', '/dev/full')).toEqual([
    1,
    'dprof: cannot write /dev/full: No space left on device',
  ]);
  expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
  expect(refused('replay', trace, '--shard', '1/2', '-o', at('no/folder'))).toEqual([
    1,
    'dprof: cannot write no/folder.incomplete: No such file or directory',
  ]);
});

test('nothing that is read is written over', () => {
  const [one, two] = makeShards(2, 'kept', []);
  const isRead = (name: string): unknown => [2, `dprof: -o ${name} is what is read (${name})`];
  expect(refused('replay', trace, '--shard', '1/2', '-o', trace)).toEqual(isRead('orders.dptrace'));
  expect(refused('merge', '--shards', one, two, '-o', trace)).toEqual(isRead('orders.dptrace'));
  expect(refused('merge', '--shards', one, two, '-o', two)).toEqual(isRead('kept-2'));
  expect(refused('replay', trace, '-o', trace)).toEqual(isRead('orders.dptrace'));
  expect(refused('export', trace, '--to', 'parquet', '-o', trace)).toEqual(isRead('orders.dptrace'));
  expect(refused('sql', trace, 'from types', '--format', 'parquet', '-o', trace)).toEqual(isRead('orders.dptrace'));
  outputOf(['merge', '--shards', one, two, '-o', at('joined.dprofile')]);
  const cut = at('cut');
  writeFileSync(cut, readFileSync(two).subarray(0, -10));
  expect(runDprof(['merge', '--shards', one, cut, '-o', at('none')]).stderr).toMatch(
    /^dprof: \S*cut: payload of a block.*\nhint: make that part anew: dprof replay TRACE --shard I\/N -o PART\n$/,
  );
});

test('parts that are not all of one replay', () => {
  const [one, two] = makeShards(2, 'own', []);
  const [other] = makeShards(2, 'other', ['--schedule', 'recorded']);
  const [third] = makeShards(3, 'third', []);
  const merged = (...parts: string[]): unknown => refused('merge', '--shards', ...parts, '-o', at('none'));
  expect(merged(one)).toEqual([2, 'dprof: 1 of 2 shards are missing: 2/2']);
  expect(merged(one, one)).toEqual([2, 'dprof: own-1 is the same shard as own-1']);
  expect(merged(one, third)).toEqual([2, 'dprof: third-1 is one of 3 shards, and own-1 one of 2']);
  expect(merged(other, two)).toEqual([
    2,
    'dprof: own-2 is of another replay than other-1: under another schedule, window or flow',
  ]);
  expect(merged(one, trace)).toEqual([1, 'dprof: orders.dptrace: is no shard']);
  expect(refused('merge', one, two, '--trace', trace, '-o', at('none'))).toEqual([2, 'dprof: --trace is for --shards']);
  expect(existsSync(at('none'))).toBe(false);
});

test('the trace may lie elsewhere, but it is the same', () => {
  const parts = makeShards(2, 'moved', []);
  outputOf(['replay', trace, '-o', at('whole.dprofile')]);
  renameSync(trace, at('elsewhere.dptrace'));
  try {
    expect(refused('merge', '--shards', ...parts, '-o', at('none'))).toEqual([
      1,
      'dprof: cannot read orders.dptrace (ENOENT), which the shards are of',
    ]);
    const words = ['merge', '--shards', ...parts, '-o', at('joined.dprofile'), '--trace'];
    outputOf([...words, at('elsewhere.dptrace')]);
    expect(Buffer.compare(readFileSync(at('joined.dprofile')), readFileSync(at('whole.dprofile')))).toBe(0);
    expect(refused(...words, parts[0])).toEqual([1, 'dprof: moved-1 is not the trace that the shards are of']);
  } finally {
    renameSync(at('elsewhere.dptrace'), trace);
  }
});

test('a part that is damaged anywhere, or cut anywhere, is refused', () => {
  const [one, two] = makeShards(2, 'whole', []);
  const bytes = readFileSync(one);
  const damaged = at('damaged');
  const refusal = (): string => {
    const { status, stderr } = runDprof(['merge', '--shards', damaged, two, '-o', at('none')]);
    expect(status, stderr).toBeGreaterThan(0);
    expect(stderr).toMatch(/^dprof: .*\nhint: /);
    return stderr;
  };
  for (let step = 1; step < PLACES; step++) {
    const place = Math.floor((bytes.length * step) / PLACES);
    const copy = Buffer.from(bytes);
    copy[place] ^= 1 << (step % 8);
    writeFileSync(damaged, copy);
    refusal();
    writeFileSync(damaged, bytes.subarray(0, place));
    refusal();
  }
  writeFileSync(damaged, Buffer.concat([bytes, Buffer.of(0)]));
  expect(refusal()).toMatch(/end of the shard/);
  copyFileSync(two, damaged);
  expect(refusal()).toMatch(/is the same shard as/);
  expect(existsSync(at('none'))).toBe(false);
});

test('a part that lies, with the right checksums, is refused, or counted as it is', () => {
  const [one, two] = makeShards(2, 'true', ['--l1', '1K/2', '--l2', '4K/4', '--llc', '16K/4']);
  const bytes = readFileSync(one);
  const first = 16 + bytes.readUInt32LE(12);
  let refused = 0;
  for (let seed = 1; seed <= LIES; seed++) {
    const copy = Buffer.from(bytes);
    for (let at_ = first; at_ < copy.length; ) {
      const count = copy.readUInt32LE(at_) & 0x7fffffff;
      const payload = copy.subarray(at_ + 8, at_ + 8 + count);
      for (let change = 0; change < 3; change++)
        payload[(seed * 7919 * (change + 1) * 104729) % count] ^= 1 << (seed % 8);
      copy.writeUInt32LE(crc32(payload), at_ + 4);
      at_ += 8 + count;
    }
    writeFileSync(at('lie'), copy);
    const { status, stderr } = runDprof(['merge', '--shards', at('lie'), two, '-o', at('lied.dprofile')]);
    expect(status, `seed ${seed}: ${stderr}`).toBeLessThan(2);
    if (status === 1) expect(stderr).toMatch(/^dprof: .*\nhint: /);
    refused += Number(status === 1);
  }
  expect(refused).toBeGreaterThan(LIES / 2);
});
