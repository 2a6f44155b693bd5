// Stage: test. Every option of a machine by flag.

import { expect, test } from 'vitest';
import { checkRequest, resolveMachine, type MachineRequest } from '../../src/machine/parse-machine.js';
import { POLICIES, type Machine } from '../../src/contract/machine.js';
import { refusal, refusalOf } from './refusal.js';

const with4 = (request: MachineRequest): Machine => resolveMachine(request, 4);

test('--policy: one for all levels, or by level', () => {
  const policies = (policy: string): unknown => {
    const { l1, l2, llc } = with4({ policy });
    return [l1.policy, l2.policy, llc.policy];
  };
  expect(policies('fifo')).toEqual(['fifo', 'fifo', 'fifo']);
  expect(policies('l1=tree-plru,llc=srrip')).toEqual(['tree-plru', undefined, 'srrip']);
});

test('--inclusion: of L2 and LLC, or of one', () => {
  const kinds = (inclusion: string): unknown => {
    const { l1, l2, llc } = with4({ inclusion });
    return [l1.inclusion, l2.inclusion, llc.inclusion];
  };
  expect(kinds('inclusive')).toEqual([undefined, 'inclusive', 'inclusive']);
  expect(kinds('llc=exclusive')).toEqual([undefined, undefined, 'exclusive']);
});

test('--prefetch: of L1 and L2, of one, joined, or none', () => {
  const kinds = (prefetch: string): unknown => {
    const { l1, l2, llc } = with4({ machine: 'zen3', prefetch });
    return [l1.prefetchers, l2.prefetchers, llc.prefetchers];
  };
  expect(kinds('none')).toEqual([[], [], undefined]);
  expect(kinds('stride')).toEqual([['stride'], ['stride'], undefined]);
  expect(kinds('l2=next-line+stride')).toEqual([['next-line', 'stride'], ['next-line', 'stride'], undefined]);
});

test('--smt: siblings share an L1, and every group grows as much', () => {
  const groups = (request: MachineRequest): unknown => {
    const { coresPerL1, coresPerL2, coresPerLlc, coresPerSocket } = resolveMachine(request, 64);
    return [coresPerL1, coresPerL2, coresPerLlc, coresPerSocket];
  };
  expect(groups({ smt: '2' })).toEqual([2, 2, 64, undefined]);
  expect(groups({ machine: 'zen2', smt: '2' })).toEqual([2, 2, 8, undefined]);
  expect(groups({ machine: 'skylake-sp', smt: '2' })).toEqual([2, 2, 56, 56]);
  expect(groups({ machine: 'zen2', smt: '1' })).toEqual([1, 1, 4, undefined]);
});

test('--share: groups as they are said', () => {
  const { coresPerL1, coresPerL2, coresPerLlc } = with4({ share: 'l2=2,llc=2' });
  expect([coresPerL1, coresPerL2, coresPerLlc]).toEqual([undefined, 2, 2]);
  expect(with4({ smt: '2', share: 'l2=4' }).coresPerL2).toBe(4);
});

test('--sockets: equal parts, an LLC on each', () => {
  const machine = with4({ sockets: '2', latency: 'remote-cache=333,remote-memory=444' });
  expect([
    machine.coresPerSocket,
    machine.coresPerLlc,
    machine.remoteCacheLatencyCycles,
    machine.remoteMemoryLatencyCycles,
  ]).toEqual([2, 2, 333, 444]);
  const zen = resolveMachine({ machine: 'zen2', cores: '16', sockets: '2' }, 1);
  expect([zen.coresPerSocket, zen.coresPerLlc, zen.remoteCacheLatencyCycles]).toEqual([8, 4, 450]);
});

test('one socket is none', () => {
  expect(with4({ sockets: '1', latency: 'remote-cache=333' })).toEqual(with4({}));
});

test('--protocol, --pages, --colouring, --seed', () => {
  expect(with4({ protocol: 'moesi', pages: '2m', colouring: 'random:7' })).toMatchObject({
    protocol: 'moesi',
    pageBytes: 2097152,
    colouring: 'random',
    seed: 7,
  });
  expect(with4({ pages: '4K', colouring: 'first-touch', seed: '0' })).toMatchObject({
    pageBytes: 4096,
    colouring: 'first-touch',
    seed: 0,
  });
});

test('--tlb: geometry; the penalties are those of the machine', () => {
  expect(with4({ tlb: '64/4,1536/12' }).tlb).toEqual({
    l1: { entries: 64, ways: 4 },
    l2: { entries: 1536, ways: 12 },
    l2LatencyCycles: 7,
    walkLatencyCycles: 30,
  });
  expect(with4({ machine: 'skylake-sp', tlb: '32/32' }).tlb).toEqual({
    l1: { entries: 32, ways: 32 },
    l2LatencyCycles: 9,
    walkLatencyCycles: 30,
  });
  expect(with4({ machine: 'skylake-sp', tlb: 'none' }).tlb).toBe(undefined);
});

test('--latency: whatever has one', () => {
  const machine = with4({ tlb: '64/4', latency: 'l1=1,l2=2,llc=3,memory=4,cache=5,l2-tlb=0,walk=6' });
  expect([
    machine.l1.latencyCycles,
    machine.l2.latencyCycles,
    machine.llc.latencyCycles,
    machine.memoryLatencyCycles,
    machine.cacheToCacheLatencyCycles,
  ]).toEqual([1, 2, 3, 4, 5]);
  expect([machine.tlb!.l2LatencyCycles, machine.tlb!.walkLatencyCycles]).toEqual([0, 6]);
});

test.each<[MachineRequest, string]>([
  [{ policy: 'plru' }, `--policy l1: 'plru' is not one of ${POLICIES.join(', ')}`],
  [{ policy: 'l3=lru' }, "--policy l3=lru: 'l3=lru' is not one of l1=…, l2=…, llc=…"],
  [{ policy: 'lru,l1=fifo' }, "--policy lru,l1=fifo: 'lru' is not one of l1=…, l2=…, llc=…"],
  [{ policy: 'l1=lru,l1=fifo' }, '--policy l1=lru,l1=fifo: l1 is said twice'],
  [{ policy: '' }, "--policy : '' is not one of l1=…, l2=…, llc=…"],
  [{ policy: 'l1=' }, "--policy l1=: 'l1=' is not one of l1=…, l2=…, llc=…"],
  [{ inclusion: 'l1=inclusive' }, "--inclusion l1=inclusive: 'l1=inclusive' is not one of l2=…, llc=…"],
  [{ prefetch: 'llc=stride' }, "--prefetch llc=stride: 'llc=stride' is not one of l1=…, l2=…"],
  [{ prefetch: 'stride+' }, "--prefetch l1: '' is not one of next-line, adjacent-line, stride"],
  [{ prefetch: 'l1=stride+stride' }, 'l1.prefetchers: stride, stride says one twice'],
  [{ protocol: 'MESI' }, "--protocol: 'MESI' is not one of mesi, moesi, mesif"],
  [{ smt: '0' }, "--smt: '0' is not a positive whole number"],
  [{ share: '4' }, "--share 4: '4' is not one of l2=…, llc=…"],
  [{ share: 'llc=x' }, "--share llc: 'x' is not a positive whole number"],
  [{ share: 'l2=2,llc=3' }, 'coresPerLlc: 3 cores are not a multiple of coresPerL2, 2'],
  [{ sockets: '3' }, '--sockets 3: 4 cores do not make 3 equal sockets'],
  [{ sockets: 'two' }, "--sockets: 'two' is not a positive whole number"],
  [
    { latency: '5' },
    "--latency 5: '5' is not one of l1=…, l2=…, llc=…, memory=…, cache=…, remote-memory=…, remote-cache=…, " +
      'l2-tlb=…, walk=…',
  ],
  [{ latency: 'l1=0' }, "--latency l1: '0' is not a whole number from 1 to 1000000"],
  [{ latency: 'walk=5' }, '--latency walk: the machine has no TLB'],
  [{ tlb: '64' }, '--tlb 64: not ENTRIES/WAYS'],
  [{ tlb: '64/4,1/1,2/2' }, '--tlb 64/4,1/1,2/2: more than two levels'],
  [{ tlb: '64/5' }, 'tlb.l1: 64 entries are not a multiple of 5 ways'],
  [{ pages: '8K' }, "--pages: '8K' is not one of 4K, 2M"],
  [{ colouring: 'cache' }, "--colouring: 'cache' is not one of virtual, first-touch, random"],
  [{ colouring: 'virtual:3' }, "--colouring: 'virtual:3' is not virtual, first-touch or random[:SEED]"],
  [{ colouring: 'random:x' }, "--colouring random: 'x' is not a whole number from 0 to 4294967295"],
  [{ seed: '-1' }, "--seed: '-1' is not a whole number from 0 to 4294967295"],
  [
    { machine: 'zen2', inclusion: 'llc=inclusive', llc: '256K/16' },
    'llc.inclusion: 256K can not hold all of an l2 of 512K',
  ],
])('%j is refused', (request, message) => {
  expect(refusal(request, 4)[0]).toBe(message);
});

test('a machine is refused before it is known how many threads there are, sockets apart', () => {
  expect(refusalOf(() => checkRequest({ policy: 'plru' }))[0]).toMatch(/^--policy/);
  expect(refusalOf(() => checkRequest({ sockets: 'x' }))[0]).toMatch(/^--sockets/);
  expect(refusalOf(() => checkRequest({ sockets: '3', cores: '4' }))[0]).toMatch(/^--sockets/);
  expect(checkRequest({ sockets: '3' })).toBe(undefined);
});
