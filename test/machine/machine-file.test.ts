import { expect, test } from 'vitest';
import { POLICIES } from '../../src/contract/machine.js';
import { describeMachineFile } from '../../src/machine/machine-file.js';
import { describeMachineOf, resolveMachine } from '../../src/machine/parse-machine.js';
import { PRESETS } from '../../src/machine/presets.js';
import { FOLDER, machineFile, refusal } from './refusal.js';

const read = (json: object): ReturnType<typeof describeMachineFile> =>
  describeMachineFile('it.json', json as Record<string, unknown>);

test('a base is changed where the file says something, and nowhere else', () => {
  const zen3 = PRESETS.zen3.describe();
  expect(
    read({
      $schema: 'docs/machine.schema.json',
      base: 'zen3',
      name: 'mine',
      l1: '48K/12',
      l2: { policy: 'srrip' },
      llc: { inclusion: 'non-inclusive' },
      coresPerLlc: 4,
    }),
  ).toEqual({
    ...zen3,
    name: 'mine',
    l1: { ...zen3.l1, sizeBytes: 49152, ways: 12 },
    l2: { ...zen3.l2, policy: 'srrip' },
    llc: { ...zen3.llc, inclusion: 'non-inclusive' },
    coresPerLlc: 4,
  });
});

test('a base is not changed for the next file', () => {
  read({ base: 'zen3', l1: { prefetchers: [] }, tlb: { l1: { entries: 128, ways: 2 } } });
  expect(PRESETS.zen3.describe().l1.prefetchers).toEqual(['next-line', 'stride']);
  expect(PRESETS.zen3.describe().tlb!.l1).toEqual({ entries: 64, ways: 64 });
});

test('every field at once', () => {
  expect(
    read({
      name: 'all',
      cores: 8,
      lineBytes: 128,
      l1: {
        sizeBytes: 65536,
        ways: 4,
        latencyCycles: 3,
        policy: 'tree-plru',
        prefetchers: ['next-line', 'adjacent-line', 'stride'],
      },
      l2: { sizeBytes: '1M', ways: 8, latencyCycles: 12, policy: 'bit-plru', inclusion: 'inclusive', prefetchers: [] },
      llc: { sizeBytes: '33M', ways: 11, latencyCycles: 44, policy: 'random', inclusion: 'exclusive' },
      coresPerL1: 2,
      coresPerL2: 2,
      coresPerLlc: 4,
      coresPerSocket: 4,
      memoryLatencyCycles: 210,
      cacheToCacheLatencyCycles: 110,
      remoteMemoryLatencyCycles: 310,
      remoteCacheLatencyCycles: 320,
      protocol: 'moesi',
      tlb: '64/4,1536/12',
      pageBytes: '2M',
      colouring: 'random',
      seed: 4294967295,
    }),
  ).toEqual({
    name: 'all',
    cores: 8,
    lineBytes: 128,
    l1: {
      sizeBytes: 65536,
      ways: 4,
      latencyCycles: 3,
      policy: 'tree-plru',
      prefetchers: ['next-line', 'adjacent-line', 'stride'],
    },
    l2: { sizeBytes: 1048576, ways: 8, latencyCycles: 12, policy: 'bit-plru', inclusion: 'inclusive', prefetchers: [] },
    llc: { sizeBytes: 34603008, ways: 11, latencyCycles: 44, policy: 'random', inclusion: 'exclusive' },
    coresPerL1: 2,
    coresPerL2: 2,
    coresPerLlc: 4,
    coresPerSocket: 4,
    memoryLatencyCycles: 210,
    cacheToCacheLatencyCycles: 110,
    remoteMemoryLatencyCycles: 310,
    remoteCacheLatencyCycles: 320,
    protocol: 'moesi',
    tlb: { l1: { entries: 64, ways: 4 }, l2: { entries: 1536, ways: 12 }, l2LatencyCycles: 7, walkLatencyCycles: 30 },
    pageBytes: 2097152,
    colouring: 'random',
    seed: 4294967295,
  });
});

test('TLBs: in short, in full, one level, changed, taken away', () => {
  const tlb = { l1: { entries: 64, ways: 4 }, l2LatencyCycles: 7, walkLatencyCycles: 30 };
  expect(read({ tlb: '64/4' }).tlb).toEqual(tlb);
  expect(read({ tlb: { l1: '64/4', walkLatencyCycles: 0 } }).tlb).toEqual({ ...tlb, walkLatencyCycles: 0 });
  expect(read({ base: 'zen3', tlb: { l2: { entries: 1024 } } }).tlb).toEqual({
    ...tlb,
    l1: { entries: 64, ways: 64 },
    l2: { entries: 1024, ways: 16 },
  });
  expect(read({ base: 'zen3', tlb: { l2: 'none' } }).tlb).toEqual({ ...tlb, l1: { entries: 64, ways: 64 } });
  expect(read({ base: 'zen3', tlb: '32/4' }).tlb!.l2).toBe(undefined);
  expect(Object.keys(read({ base: 'zen3', tlb: 'none' }))).not.toContain('tlb');
});

test('a machine without a name is called by its file, one with a base too', () => {
  expect(describeMachineOf(machineFile('{"base": "zen3"}')).name).toBe(`${FOLDER}/machine.json`);
});

test('the host may be a base', () => {
  expect(read({ base: 'host', cores: 3 })).toEqual({ ...PRESETS.host.describe(), name: 'it.json', cores: 3 });
});

test.each<[json: string, message: string]>([
  ['{"name": 3}', 'name: 3 is not a string'],
  ['{"$schema": null}', '$schema: null is not a string'],
  [
    '{"base": "zen9"}',
    "base: 'zen9' is not one of default, paper, skylake-sp, ice-lake-sp, sapphire-rapids, zen2, zen3, zen4, " +
      'graviton3, host',
  ],
  [
    '{"base": "toString"}',
    "base: 'toString' is not one of default, paper, skylake-sp, ice-lake-sp, sapphire-rapids, zen2, zen3, " +
      'zen4, graviton3, host',
  ],
  ['{"cores": 65}', "cores: '65' is not a whole number from 1 to 64"],
  ['{"cores": "4"}', `cores: '"4"' is not a whole number from 1 to 64`],
  ['{"cores": null}', "cores: 'null' is not a whole number from 1 to 64"],
  ['{"lineBytes": 48}', 'lineBytes: 48 bytes is not a power of two from 8 to 4096'],
  ['{"lineBytes": "big"}', "lineBytes: 'big' is not a size"],
  ['{"l1": []}', `l1: '[]' is neither "32K/8" nor an object`],
  ['{"l1": "32K"}', `l1: '32K' is neither "32K/8" nor an object`],
  ['{"l1": {"ways": 0}}', "l1.ways: '0' is not a positive whole number"],
  ['{"l1": {"ways": 2.5}}', "l1.ways: '2.5' is not a positive whole number"],
  ['{"l1": {"latencyCycles": -4}}', "l1.latencyCycles: '-4' is not a whole number from 1 to 1000000"],
  ['{"l1": {"policy": "nonsense"}}', `l1.policy: 'nonsense' is not one of ${POLICIES.join(', ')}`],
  ['{"l1": {"inclusion": "inclusive"}}', 'unknown field "l1.inclusion"'],
  ['{"l1": {"prefetchers": "stride"}}', 'l1.prefetchers: stride is not a list'],
  ['{"l2": {"prefetchers": ["ip"]}}', "l2.prefetchers: 'ip' is not one of next-line, adjacent-line, stride"],
  ['{"l2": {"prefetchers": ["stride", "stride"]}}', 'l2.prefetchers: stride, stride says one twice'],
  ['{"l2": {"inclusion": "victim"}}', "l2.inclusion: 'victim' is not one of non-inclusive, inclusive, exclusive"],
  ['{"llc": {"prefetchers": []}}', 'unknown field "llc.prefetchers"'],
  ['{"coresPerL1": 0}', "coresPerL1: '0' is not a positive whole number"],
  ['{"coresPerL2": "2"}', `coresPerL2: '"2"' is not a positive whole number`],
  ['{"coresPerLlc": []}', "coresPerLlc: '[]' is not a positive whole number"],
  ['{"coresPerSocket": {}}', "coresPerSocket: '{}' is not a positive whole number"],
  ['{"memoryLatencyCycles": 0}', "memoryLatencyCycles: '0' is not a whole number from 1 to 1000000"],
  [
    '{"cacheToCacheLatencyCycles": 1e9}',
    "cacheToCacheLatencyCycles: '1000000000' is not a whole number from 1 to 1000000",
  ],
  ['{"remoteMemoryLatencyCycles": true}', "remoteMemoryLatencyCycles: 'true' is not a whole number from 1 to 1000000"],
  ['{"remoteCacheLatencyCycles": "x"}', `remoteCacheLatencyCycles: '"x"' is not a whole number from 1 to 1000000`],
  ['{"protocol": "msi"}', "protocol: 'msi' is not one of mesi, moesi, mesif"],
  ['{"tlb": 64}', `tlb: '64' is neither "64/4,1536/12" nor an object nor "none"`],
  ['{"tlb": {}}', 'tlb.l1 is missing'],
  ['{"tlb": {"l1": {"entries": 64}}}', 'tlb.l1.ways is missing'],
  ['{"tlb": {"l1": "none"}}', `tlb.l1: 'none' is neither "64/4" nor an object`],
  ['{"tlb": {"l1": "64/4", "l2": "x"}}', `tlb.l2: 'x' is neither "64/4" nor an object nor "none"`],
  [
    '{"tlb": {"l1": "64/4", "walkLatencyCycles": -1}}',
    "tlb.walkLatencyCycles: '-1' is not a whole number from 0 to 1000000",
  ],
  [
    '{"tlb": {"l1": "64/4", "l2LatencyCycles": null}}',
    "tlb.l2LatencyCycles: 'null' is not a whole number from 0 to 1000000",
  ],
  ['{"pageBytes": "1G"}', "pageBytes: '1G' is not one of 4K, 2M"],
  ['{"colouring": "physical"}', "colouring: 'physical' is not one of virtual, first-touch, random"],
  ['{"seed": 4294967296}', "seed: '4294967296' is not a whole number from 0 to 4294967295"],
  // Values that do not fit together are the file's mistake too.
  ['{"l1": "33000/8"}', 'l1: 33000 bytes / (8 ways × 64 bytes per line) = 64.453 sets, not a whole number'],
  ['{"tlb": "64/5"}', 'tlb.l1: 64 entries are not a multiple of 5 ways'],
  [
    '{"cores": 8, "coresPerLlc": 3, "coresPerSocket": 4}',
    'coresPerSocket: 4 cores are not a multiple of coresPerLlc, 3',
  ],
  ['nonsense', `not JSON: Unexpected token 'o', "nonsense" is not valid JSON`],
])('%s is refused, by file and field', (json, message) => {
  const path = machineFile(json);
  const [text, hint] = refusal({ machine: path });
  expect(text).toBe(`${path}: ${message}`);
  expect(hint).not.toBe('');
});

test('an unknown field is told which are known', () => {
  expect(refusal({ machine: machineFile('{"l2": {"way": 4}}') })[1]).toBe(
    'known fields: sizeBytes, ways, latencyCycles, policy, inclusion, prefetchers',
  );
});

test('a file of more than a million characters is not parsed', () => {
  const path = machineFile(' '.repeat((1 << 20) + 1));
  expect(refusal({ machine: path })[0]).toBe(`${path}: 1048577 characters are no machine`);
});

test('flags come after the file', () => {
  const path = machineFile('{"base": "zen3", "l1": "48K/12", "protocol": "mesi"}');
  const machine = resolveMachine({ machine: path, l1: '16K/4', prefetch: 'l1=none', protocol: 'mesif' }, 2);
  expect([machine.l1, machine.protocol]).toEqual([
    { sizeBytes: 16384, ways: 4, latencyCycles: 4, prefetchers: [] },
    'mesif',
  ]);
});
