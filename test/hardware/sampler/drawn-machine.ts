// Stage: test. A machine as /sys/bus/event_source/devices would describe it, and what dprof-sample would open there.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../../cli/command-line.js';

export const EVENT_PROBE = resolve(import.meta.dirname, '../../../build/bin/dprof-event-probe');
const folder = makeFolder();

export interface DrawnEvent {
  readonly name: string;
  readonly origin: string;
  readonly cpus: readonly number[];
  readonly period: number;
  readonly hasOnePeriod: boolean;
  readonly isOfProcessors: boolean;
  readonly isKernelPassedOver: boolean;
  readonly attributes: Readonly<Record<string, number | string>>;
  readonly leader: Readonly<Record<string, number | string>> | null;
}

export interface DrawnChoice {
  readonly events: readonly DrawnEvent[];
  readonly line: string;
  readonly hint: string;
}

/** Files by their paths below the folder of devices. */
function drawMachine(files: Readonly<Record<string, string>>): string {
  const devices = mkdtempSync(join(folder, 'devices-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(devices, path)), { recursive: true });
    writeFileSync(join(devices, path), `${text}\n`);
  }
  return devices;
}

export function chooseEvents(
  files: Readonly<Record<string, string>>,
  release: string,
  ...words: string[]
): DrawnChoice {
  return JSON.parse(
    execFileSync(EVENT_PROBE, ['events', drawMachine(files), release, ...words], { encoding: 'utf8' }),
  ) as DrawnChoice;
}

const INTEL_FORMAT = { 'format/event': 'config:0-7', 'format/umask': 'config:8-15', 'format/ldlat': 'config1:0-15' };

function pmu(name: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${name}/${path}`, text]));
}

/** Files that kernels show of these processors, as far as the choice reads them. */
export const MACHINES = {
  sandyBridge: {
    ...pmu('cpu', {
      type: '4',
      ...INTEL_FORMAT,
      'events/mem-loads': 'event=0xcd,umask=0x1,ldlat=3',
      'events/mem-stores': 'event=0xcd,umask=0x2',
    }),
    ...pmu('software', { type: '1' }),
  },
  skylake: pmu('cpu', {
    type: '4',
    ...INTEL_FORMAT,
    'events/mem-loads': 'event=0xcd,umask=0x1,ldlat=3',
    'events/mem-stores': 'event=0xd0,umask=0x82',
  }),
  sapphireRapids: pmu('cpu', {
    type: '4',
    ...INTEL_FORMAT,
    'events/mem-loads': 'event=0xcd,umask=0x1,ldlat=3',
    'events/mem-loads-aux': 'event=0x03,umask=0x82',
    'events/mem-stores': 'event=0xcd,umask=0x2',
  }),
  alderLake: {
    ...pmu('cpu_core', {
      type: '4',
      cpus: '0-3',
      ...INTEL_FORMAT,
      'events/mem-loads': 'event=0xcd,umask=0x1,ldlat=3',
      'events/mem-loads-aux': 'event=0x03,umask=0x82',
      'events/mem-stores': 'event=0xcd,umask=0x2',
    }),
    ...pmu('cpu_atom', {
      type: '10',
      cpus: '4-7,9',
      ...INTEL_FORMAT,
      'events/mem-loads': 'event=0xd0,umask=0x5,ldlat=3',
      'events/mem-stores': 'event=0xd0,umask=0x6',
    }),
  },
  zen2: {
    ...pmu('cpu', { type: '4', 'format/event': 'config:0-7,32-35' }),
    ...pmu('ibs_op', { type: '9', 'format/cnt_ctl': 'config:19' }),
  },
  zen4: pmu('ibs_op', { type: '11', 'format/cnt_ctl': 'config:19', 'format/l3missonly': 'config:16' }),
  zen5: pmu('ibs_op', {
    type: '11',
    'format/cnt_ctl': 'config:19',
    'format/ldlat': 'config1:0-11',
    'format/swfilt': 'config2:0',
  }),
  neoverse: pmu('arm_spe_0', {
    type: '8',
    cpumask: '0-1',
    'format/ts_enable': 'config:0',
    'format/load_filter': 'config:33',
    'format/store_filter': 'config:34',
    'format/min_latency': 'config2:0-11',
  }),
  cloud: {
    ...pmu('cpu', { type: '4', 'format/event': 'config:0-7' }),
    ...pmu('software', { type: '1' }),
    ...pmu('breakpoint', { type: '5' }),
  },
} as const;
