// Stage: hardware. What `perf script -F FIELDS` prints to samples: one line for each. The text does not say its fields,
// so they are the caller's; where they stand in a line is perf's, whatever the order of the list.

import { DprofError } from '../../base/dprof-error.js';
import type { ByteSource } from '../../profile/byte-source.js';
import type { Reading } from './perf-reader.js';
import {
  NOWHERE,
  type Field,
  type SampleColumns,
  type SampledEvent,
  type SampleTables,
  type Source,
  type ThreadName,
} from '../samples/samples.js';
import { SamplesError } from '../samples/samples-error.js';
import { TimeOrder } from './time-order.js';

/** By their names, in the order in which they stand in a line: how each looks. `sym` and `dso` are passed over. */
const LOOKS = {
  comm: String.raw`\s*(?<comm>\S.*?)`,
  pid: '',
  tid: '',
  cpu: String.raw`\s+\[(?<cpu>-?\d+)\]`,
  time: String.raw`\s+(?<seconds>\d+)\.(?<fraction>\d{6}|\d{9}):`,
  period: String.raw`\s+(?<period>\d+)`,
  event: String.raw`\s+(?<event>\S.*?):`,
  addr: String.raw`\s+(?<addr>[0-9a-f]+)`,
  data_src: String.raw`\s+(?<source>[0-9a-f]+) \|OP.*?`,
  weight: String.raw`\s+(?<weight>\d+)`,
  ins_lat: String.raw`\s+(?<latency>\d+)`,
  ip: String.raw`\s+(?<ip>[0-9a-f]+)`,
  sym: String.raw`(?:\s.*?)??`,
  dso: String.raw`\s+\(.*?\)`,
  phys_addr: String.raw`\s+(?<physical>[0-9a-f]+)`,
  data_page_size: String.raw`\s+(?<page>\d+[KMGT]?|N\/A)`,
} as const;
export type ScriptField = keyof typeof LOOKS;
const SCRIPT_FIELDS = Object.keys(LOOKS) as ScriptField[];
export const DEFAULT_SCRIPT_FIELDS: readonly ScriptField[] = [
  'comm',
  'pid',
  'tid',
  'cpu',
  'time',
  'period',
  'event',
  'addr',
  'data_src',
  'weight',
  'ip',
];
const NEEDED: readonly ScriptField[] = ['tid', 'time', 'event', 'ip'];

const PART_BYTES = 1 << 20;
const LONGEST_LINE = 1 << 16;
const HINT = 'say with --fields what perf script -F printed; callchains are not read (perf script -G leaves them out)';
const UNIT: Readonly<Record<string, bigint>> = { '': 1n, K: 1n << 10n, M: 1n << 20n, G: 1n << 30n, T: 1n << 40n };

export function parseScriptFields(list: string): ScriptField[] {
  const fields = list.split(',').map((field) => field.trim());
  const unknown = fields.find((field) => !(SCRIPT_FIELDS as string[]).includes(field));
  if (unknown !== undefined)
    throw new DprofError(`--fields: there is no field '${unknown}'`, `there are ${SCRIPT_FIELDS.join(', ')}`, 2);
  const missing = NEEDED.find((field) => !(fields as string[]).includes(field));
  if (missing !== undefined)
    throw new DprofError(
      `--fields: '${missing}' is not among them`,
      `samples need ${NEEDED.join(', ')}: perf script -F ${DEFAULT_SCRIPT_FIELDS.join(',')}`,
      2,
    );
  return SCRIPT_FIELDS.filter((field) => (fields as string[]).includes(field));
}

export function* readPerfScript(
  source: ByteSource,
  fields: readonly ScriptField[],
  onChunk: (columns: SampleColumns, rows: number) => void,
): Reading {
  const reader = new ScriptReader(fields, onChunk);
  let rest: Buffer = Buffer.alloc(0);
  for (let at = 0; at < source.length; at += PART_BYTES) {
    const bytes = Buffer.concat([rest, source.read(at, PART_BYTES)]);
    const end = bytes.lastIndexOf(0x0a) + 1;
    reader.lines(bytes.subarray(0, end), at - rest.length);
    rest = Buffer.from(bytes.subarray(end));
    if (rest.length > LONGEST_LINE)
      throw new SamplesError('line', at + PART_BYTES - rest.length, `at most ${LONGEST_LINE} bytes`, 'more', HINT);
    yield at;
  }
  reader.lines(rest, source.length - rest.length);
  return reader.finish();
}

class ScriptReader {
  private readonly pattern: RegExp;
  private readonly order: TimeOrder;
  private readonly events = new Map<string, { index: number; samples: number }>();
  private readonly names = new Map<number, string>();
  private readonly changes: ThreadName[] = [];

  constructor(
    private readonly fields: readonly ScriptField[],
    onChunk: (columns: SampleColumns, rows: number) => void,
  ) {
    const hasPid = fields.includes('pid');
    const looks = SCRIPT_FIELDS.filter((field) => fields.includes(field)).map((field) =>
      field === 'tid' ? String.raw`\s*${hasPid ? String.raw`(?<pid>-?\d+)\/` : ''}(?<tid>-?\d+)` : LOOKS[field],
    );
    this.pattern = new RegExp(`^${looks.join('')}\\s*$`);
    this.order = new TimeOrder(onChunk);
  }

  /** `offset`: of the first one. */
  lines(bytes: Buffer, offset: number): void {
    let at = 0;
    while (at < bytes.length) {
      const newline = bytes.indexOf(0x0a, at);
      const end = newline < 0 ? bytes.length : newline;
      const line = bytes.toString('utf8', at, end);
      if (line.trim() !== '' && !line.startsWith('#')) this.line(line, offset + at);
      at = end + 1;
    }
  }

  finish(): SampleTables {
    this.order.finish();
    return {
      run: {
        origin: 'perf script',
        hostname: '',
        kernel: '',
        architecture: '',
        cpu: '',
        cpuId: '',
        perfVersion: '',
        command: [],
        clock: -1,
        isBigEndian: false,
      },
      events: [...this.events].map(([name, { samples }]) => this.describe(name, samples)),
      mappings: [],
      names: this.changes,
      threads: [],
      lost: { records: 0, samples: 0, throttles: 0, truncatedAux: 0, outOfOrder: this.order.outOfOrder, skipped: {} },
    };
  }

  private line(line: string, offset: number): void {
    const found = this.pattern.exec(line)?.groups;
    if (found === undefined)
      throw new SamplesError(
        'line',
        offset,
        `the fields ${this.fields.join(',')}`,
        JSON.stringify(line.slice(0, 120)),
        HINT,
      );
    const { rows } = this.order;
    const row = rows.begin();
    const { columns } = rows;
    const u64 = (text: string | undefined, base: 10 | 16): bigint =>
      text === undefined ? 0n : BigInt.asUintN(64, BigInt(base === 16 ? `0x${text}` : text));
    columns.time[row] = BigInt.asUintN(
      64,
      BigInt(found.seconds) * 1_000_000_000n + BigInt(found.fraction.padEnd(9, '0')),
    );
    columns.tid[row] = Number(found.tid) >>> 0;
    columns.pid[row] = found.pid === undefined ? NOWHERE : Number(found.pid) >>> 0;
    columns.cpu[row] = found.cpu === undefined ? NOWHERE : Number(found.cpu) >>> 0;
    columns.ip[row] = u64(found.ip, 16);
    columns.address[row] = u64(found.addr, 16);
    columns.period[row] = u64(found.period, 10);
    columns.weight[row] = u64(found.weight, 10);
    columns.instructionLatency[row] = Number(found.latency ?? 0);
    columns.physicalAddress[row] = u64(found.physical, 16);
    columns.dataPageSize[row] = pageSize(found.page);
    columns.event[row] = this.eventOf(found.event, offset);
    columns.dataSource[row] = u64(found.source, 16);
    if (found.comm !== undefined) this.called(found.comm, columns.pid[row], columns.tid[row], columns.time[row]);
    this.order.added();
  }

  private eventOf(name: string, offset: number): number {
    let event = this.events.get(name);
    if (event === undefined) {
      if (this.events.size === 0xffff) throw new SamplesError('line', offset, 'at most 65535 events', 'more', HINT);
      this.events.set(name, (event = { index: this.events.size, samples: 0 }));
    }
    event.samples++;
    return event.index;
  }

  private called(name: string, pid: number, tid: number, time: bigint): void {
    if (this.names.get(tid) === name) return;
    this.names.set(tid, name);
    this.changes.push({ time: String(time), pid, tid, name, isExec: false });
  }

  private describe(name: string, samples: number): SampledEvent {
    const has = (field: ScriptField, means: Field): readonly Field[] => (this.fields.includes(field) ? [means] : []);
    const fields: Field[] = [
      'ip',
      'thread',
      'time',
      ...has('addr', 'address'),
      ...has('cpu', 'cpu'),
      ...has('period', 'period'),
      ...has('weight', this.fields.includes('ins_lat') ? 'weightStruct' : 'weight'),
      ...has('data_src', 'dataSource'),
      ...has('phys_addr', 'physicalAddress'),
      ...has('data_page_size', 'dataPageSize'),
    ];
    return {
      name,
      source: sourceOf(name, fields),
      fields,
      type: 0,
      config: '0x0',
      address: '0x0',
      length: '0x0',
      period: '0x0',
      isFrequency: false,
      preciseIp: 0,
      samples,
    };
  }
}

function sourceOf(name: string, fields: readonly Field[]): Source {
  if (name.startsWith('mem:')) return 'breakpoint';
  if (name.startsWith('ibs_op')) return 'ibs';
  if (name.startsWith('arm_spe') || name === 'memory') return 'spe';
  return fields.includes('dataSource') && fields.includes('address') ? 'pebs' : 'other';
}

function pageSize(text: string | undefined): bigint {
  const [, number, unit] = /^(\d+)([KMGT]?)$/.exec(text ?? '') ?? [];
  return number === undefined ? 0n : BigInt.asUintN(64, BigInt(number) * UNIT[unit]);
}
