// Stage: test. What would be opened on machines that are drawn: every attribute that is asked of the kernel.

import { expect, test } from 'vitest';
import { chooseEvents, MACHINES, type DrawnEvent } from './drawn-machine.js';

const COMMON = 'identifier ip tid time addr cpu period';
const FLAGS = 'disabled enable_on_exec inherit sample_id_all exclude_kernel exclude_hv';
const MEMBER = 'inherit sample_id_all exclude_kernel exclude_hv exclude_guest use_clockid';

const attributes = (values: Record<string, number | string>): Record<string, number | string> => ({
  type: 4,
  config: '0x0',
  config1: '0x0',
  config2: '0x0',
  bpType: 0,
  period: 20000,
  readFormat: 16,
  preciseIp: 3,
  clock: 1,
  fields: `${COMMON} weight_struct data_src`,
  flags: `${FLAGS} exclude_guest use_clockid`,
  ...values,
});
const event = (
  name: string,
  period: number,
  asked: Record<string, number | string>,
  rest: Partial<DrawnEvent> = {},
): DrawnEvent => ({
  name,
  origin: 'pebs',
  cpus: [],
  period,
  hasOnePeriod: false,
  isOfProcessors: false,
  isKernelPassedOver: false,
  attributes: attributes({ period, ...asked }),
  leader: null,
  ...rest,
});

test('Sandy Bridge on an old kernel: latency of one part, and nobody counts what is lost', () => {
  const old = { fields: `${COMMON} weight data_src`, readFormat: 0, preciseIp: 2 };
  expect(chooseEvents(MACHINES.sandyBridge, '5.4.0', '--no-weight-struct', '--most-precise', '2').events).toEqual([
    event('cpu/mem-loads/P', 20000, { config: '0x1cd', config1: '0x3', ...old }),
    event('cpu/mem-stores/P', 50000, { config: '0x2cd', ...old }),
  ]);
});

test('Skylake: latency, periods, and the kernel as well', () => {
  expect(
    chooseEvents(
      MACHINES.skylake,
      '6.1.0-13-amd64',
      '--latency',
      '30',
      '--period-loads',
      '1000',
      '--period-stores',
      '3000',
    ).events,
  ).toEqual([
    event('cpu/mem-loads,ldlat=30/P', 1000, { config: '0x1cd', config1: '0x1e' }),
    event('cpu/mem-stores/P', 3000, { config: '0x82d0' }),
  ]);
  expect(chooseEvents(MACHINES.skylake, '6.1.0', '--kernel').events.map(({ attributes: { flags } }) => flags)).toEqual(
    Array(2).fill('disabled enable_on_exec inherit sample_id_all exclude_hv exclude_guest use_clockid'),
  );
});

test('Sapphire Rapids: loads stand behind an event that counts them', () => {
  const leader = attributes({ config: '0x8203', period: 0, fields: 'identifier', readFormat: 0, preciseIp: 0 });
  expect(chooseEvents(MACHINES.sapphireRapids, '6.8.0', '--wants-aux').events).toEqual([
    event('cpu/mem-loads/P', 20000, { config: '0x1cd', config1: '0x3', flags: MEMBER }, { leader }),
    event('cpu/mem-stores/P', 50000, { config: '0x2cd' }),
  ]);
  // a kernel that does not ask for it
  expect(chooseEvents(MACHINES.sapphireRapids, '6.8.0').events[0].leader).toBe(null);
});

test('Alder Lake: each kind of core has its own events', () => {
  const big = [0, 1, 2, 3];
  const small = [4, 5, 6, 7, 9];
  expect(chooseEvents(MACHINES.alderLake, '6.8.0').events).toEqual([
    event('cpu_core/mem-loads/P', 20000, { config: '0x1cd', config1: '0x3' }, { cpus: big }),
    event('cpu_core/mem-stores/P', 50000, { config: '0x2cd' }, { cpus: big }),
    event('cpu_atom/mem-loads/P', 20000, { type: 10, config: '0x5d0', config1: '0x3' }, { cpus: small }),
    event('cpu_atom/mem-stores/P', 50000, { type: 10, config: '0x6d0' }, { cpus: small }),
  ]);
});

test('IBS before Linux 6.2: on processors instead of tasks, registers alone, the kernel passed over', () => {
  const asked = {
    type: 9,
    config: '0x80000',
    readFormat: 16,
    preciseIp: 0,
    fields: `${COMMON} raw`,
    flags: 'disabled sample_id_all use_clockid',
  };
  expect(chooseEvents(MACHINES.zen2, '6.1.0', '--no-tasks').events).toEqual([
    event('ibs_op/cnt_ctl=1/', 20000, asked, { origin: 'ibs', isOfProcessors: true, isKernelPassedOver: true }),
  ]);
});

test('IBS since Linux 6.2: of tasks, with level and latency; periods in steps of 16', () => {
  const asked = {
    type: 11,
    config: '0x80000',
    preciseIp: 0,
    fields: `${COMMON} raw weight_struct data_src`,
    flags: 'disabled enable_on_exec inherit sample_id_all use_clockid',
  };
  expect(chooseEvents(MACHINES.zen4, '6.2.0', '--period-loads', '1000').events).toEqual([
    event('ibs_op/cnt_ctl=1/', 1000, { ...asked, period: 992 }, { origin: 'ibs', isKernelPassedOver: true }),
  ]);
  expect(chooseEvents(MACHINES.zen5, '6.15.0', '--latency', '128').events).toEqual([
    event(
      'ibs_op/cnt_ctl=1,ldlat=128/',
      20000,
      {
        ...asked,
        config1: '0x80',
        config2: '0x1',
        flags: 'disabled enable_on_exec inherit sample_id_all exclude_kernel use_clockid',
      },
      { origin: 'ibs' },
    ),
  ]);
});

test('SPE: loads and stores, with times; of the processors that have it', () => {
  const asked = {
    type: 8,
    config: '0x600000001',
    preciseIp: 0,
    fields: 'identifier tid time cpu',
    flags: `${FLAGS} use_clockid`,
  };
  const rest = { origin: 'spe', cpus: [0, 1], hasOnePeriod: true };
  expect(chooseEvents(MACHINES.neoverse, '6.1.0').events).toEqual([
    event('arm_spe_0/ts_enable=1,load_filter=1,store_filter=1/', 20000, asked, rest),
  ]);
  const jittered = { ...MACHINES.neoverse, 'arm_spe_0/format/jitter': 'config:16' };
  expect(chooseEvents(jittered, '6.1.0', '--latency', '40', '--period-loads', '4096').events).toEqual([
    event(
      'arm_spe_0/ts_enable=1,load_filter=1,store_filter=1,jitter=1,min_latency=40/',
      4096,
      { ...asked, config: '0x600010001', config2: '0x28' },
      rest,
    ),
  ]);
});

test('page faults and breakpoints: one period for all threads, which samples do not say', () => {
  const asked = {
    type: 1,
    config: '0x2',
    preciseIp: 0,
    fields: 'identifier ip tid time addr cpu',
    flags: `${FLAGS} use_clockid`,
  };
  const rest = { origin: 'other', hasOnePeriod: true };
  expect(
    chooseEvents(MACHINES.cloud, '6.1.0', '--event', 'page-faults', '--event', 'minor-faults', '--period', '7').events,
  ).toEqual([event('page-faults', 7, asked, rest), event('minor-faults', 7, { ...asked, config: '0x5' }, rest)]);
  const breakpoint = (access: number, bytes: number): Record<string, number | string> => ({
    ...asked,
    type: 5,
    config: '0x0',
    config1: '0x404028',
    config2: `0x${bytes}`,
    bpType: access,
  });
  for (const [text, access, bytes] of [
    ['mem:0x404028', 3, 4],
    ['mem:4210728/8:rw', 3, 8],
    ['mem:0x404028/2:w', 2, 2],
    ['mem:0x404028:x', 4, 8],
  ] as const) {
    expect(chooseEvents(MACHINES.cloud, '6.1.0', '--event', text).events).toEqual([
      event(text, 1, breakpoint(access, bytes), { ...rest, origin: 'breakpoint' }),
    ]);
  }
});

test('events of a PMU by its terms: scattered bits, other configurations, how precise', () => {
  const at = (text: string): DrawnEvent[] => [
    ...chooseEvents({ ...MACHINES.skylake, ...MACHINES.zen2 }, '6.1.0', '--event', text).events,
  ];
  expect(at('cpu/event=0x1a5/')).toEqual([
    event('cpu/event=0x1a5/', 20000, { config: '0x1000000a5', preciseIp: 0 }, { origin: 'other' }),
  ]);
  expect(at('cpu/config=0x1cd,config1=7,config2=1,period=99/pp')).toEqual([
    event('cpu/config=0x1cd,config1=7,config2=1,period=99/pp', 99, {
      config: '0x1cd',
      config1: '0x7',
      config2: '0x1',
      preciseIp: 2,
    }),
  ]);
  expect(at('cpu/mem-loads,ldlat=50/P')).toEqual([
    event('cpu/mem-loads,ldlat=50/P', 20000, { config: '0x1cd', config1: '0x32' }),
  ]);
  expect(at('ibs_op//')).toMatchObject([{ name: 'ibs_op//', origin: 'ibs', attributes: { config: '0x0' } }]);
});

const NOTHING = /^nothing samples memory accesses here: no PMU with mem-loads, ibs_op or arm_spe in \/.*\/devices-\w+$/;

test.each<[string, readonly string[], RegExp | string, RegExp | string]>([
  [
    'cloud',
    [],
    NOTHING,
    /^dprof record sees every access without one; dprof history .*; or perf mem record on another machine, and dprof import$/,
  ],
  [
    'skylake',
    ['--refuses', '13'],
    /^the kernel refuses cpu\/mem-loads\/P \(Permission denied\): perf_event_paranoid is -?\d$/,
    'sysctl kernel.perf_event_paranoid=2, or run it with CAP_PERFMON',
  ],
  [
    'zen4',
    ['--refuses', '13'],
    /^the kernel refuses ibs_op\/cnt_ctl=1\/ \(Permission denied\): perf_event_paranoid is -?\d$/,
    'sysctl kernel.perf_event_paranoid=1, or run it with CAP_PERFMON',
  ],
  [
    'skylake',
    ['--refuses', '1'],
    /^perf_event_open is forbidden here \(Operation not permitted, perf_event_paranoid is -?\d\): a seccomp profile, as containers have$/,
    /^docker run --cap-add PERFMON --security-opt seccomp=unconfined, /,
  ],
  [
    'skylake',
    ['--refuses', '16'],
    'cpu/mem-loads/P is in use (Device or resource busy)',
    'end the other perf, or the NMI watchdog: sysctl kernel.nmi_watchdog=0',
  ],
  [
    'skylake',
    ['--refuses', '2'],
    'this kernel or machine does not take cpu/mem-loads/P (No such file or directory)',
    /dprof doctor/,
  ],
  [
    'skylake',
    ['--most-precise', '0'],
    'this kernel or machine does not take cpu/mem-loads/P (Operation not supported)',
    /dprof doctor/,
  ],
  [
    'zen2',
    ['--latency', '30'],
    "ibs_op/cnt_ctl=1,ldlat=30/: 'ldlat': ibs_op has neither an event nor a setting of this name",
    /^--latency is for/,
  ],
  [
    'skylake',
    ['--latency', '65536'],
    "cpu/mem-loads,ldlat=65536/: 'ldlat': the value takes more than its 16 bits",
    /^--latency is for/,
  ],
  ['cloud', ['--event', 'cycles'], '--event cycles: not known', /^page-faults, mem:/],
  [
    'cloud',
    ['--event', 'cpu_core/event=1/'],
    '--event cpu_core/event=1/: this machine has no PMU cpu_core',
    /names them$/,
  ],
  ['cloud', ['--event', '../cpu/event=1/'], '--event ../cpu/event=1/: this machine has no PMU ..', /names them$/],
  [
    'cloud',
    ['--event', 'cpu/event=one/'],
    "--event cpu/event=one/: 'event=one': not a number",
    /\/cpu\/format names its settings$/,
  ],
  [
    'cloud',
    ['--event', 'cpu/event=1/k'],
    "--event cpu/event=1/k: 'k' behind the terms is none of p, P and u",
    /^page-faults/,
  ],
  ['cloud', ['--event', 'mem:here'], '--event mem:here: no address', /^page-faults/],
  ['cloud', ['--event', 'mem:0x10:rx'], '--event mem:0x10:rx: accesses are r, w, rw or x', /^page-faults/],
  ['cloud', ['--event', 'mem:0x10/:w'], '--event mem:0x10/:w: no length', /^page-faults/],
  [
    'cloud',
    ['--event', 'mem:0x11/8', '--refuses', '22'],
    'the kernel does not take mem:0x11/8 as a breakpoint (Invalid argument)',
    /^an address is a multiple of its length/,
  ],
  [
    'cloud',
    ['--event', 'mem:0x10/8', '--refuses', '28'],
    'the debug registers are in use: 0 of 1 can be had',
    'end the debugger or the perf that has them',
  ],
])('refused: %s %j', (machine, words, line, hint) => {
  const choice = chooseEvents(MACHINES[machine as keyof typeof MACHINES], '6.1.0', ...words);
  expect(choice.events).toEqual([]);
  expect(choice.line).toEqual(typeof line === 'string' ? line : expect.stringMatching(line));
  expect(choice.hint).toEqual(typeof hint === 'string' ? hint : expect.stringMatching(hint));
});
