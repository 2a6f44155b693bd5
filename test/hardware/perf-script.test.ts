// Recordings that dprof reads and recordings that perf reads are the same samples, field by field: constructed ones of
// PEBS, IBS and SPE, and real ones that perf takes here with a debug register.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MappedCode } from '../../src/hardware/samples/mapped-code.js';
import { NOWHERE, type ColumnName } from '../../src/hardware/samples/samples.js';
import { parseScriptFields } from '../../src/hardware/import/perf-script-text.js';
import { makeFolder } from '../cli/command-line.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { collect, type Collected } from './collect.js';
import { constructIbs, constructPebs, constructSpe } from './constructed.js';
import { splitDataSource, type DataSource } from '../../src/hardware/samples/data-source.js';
import { NO_PERF, perf, perfScript } from './perf.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_PERF_SEEDS ?? 12);
const folder = makeFolder();
const THREAD = 'comm,pid,tid,time,event,ip';
const PEBS = `${THREAD},cpu,addr,period,data_src,weight,phys_addr`;
const COMMON: readonly ColumnName[] = ['time', 'pid', 'tid', 'ip', 'event'];
const MEMORY: readonly ColumnName[] = [
  ...COMMON,
  'cpu',
  'address',
  'period',
  'dataSource',
  'weight',
  'physicalAddress',
];

const sourceOf = (dataSource: number | bigint): DataSource => splitDataSource(BigInt(dataSource));

function save(name: string, recording: Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, recording);
  return path;
}

function namesOf({ columns, tables }: Collected): string[] {
  return columns.event.map((event) => tables.events[Number(event)].name);
}

/** As perf prints them: of the name that the thread had then. */
function threadNamesOf({ columns, tables }: Collected): string[] {
  return columns.time.map((time, row) => {
    const names = tables.names.filter(
      ({ tid, time: since }) => tid === columns.tid[row] && BigInt(since) <= BigInt(time),
    );
    return names[names.length - 1].name;
  });
}

function expectSame(binary: Collected, text: Collected, names: readonly ColumnName[]): void {
  expect(binary.columns.time.length).toBe(text.columns.time.length);
  expect(namesOf(binary)).toEqual(namesOf(text));
  expect(threadNamesOf(binary)).toEqual(threadNamesOf(text));
  for (const name of names) if (name !== 'event') expect(binary.columns[name], name).toEqual(text.columns[name]);
}

/** Instruction and the file that it was of, as perf prints them. */
function filesOf({ columns, tables }: Collected): string[] {
  const code = new MappedCode(tables);
  return columns.ip.map((ip, row) => {
    const place = code.find(Number(columns.pid[row]), BigInt(ip), BigInt(columns.time[row]));
    return `${ip.toString(16)} ${place?.mapping.file.replace('[kernel.kallsyms]_text', '[kernel.kallsyms]')}`;
  });
}

function fromScript(text: string, fields: string): Collected {
  return collect(Buffer.from(text), { fields: parseScriptFields(fields) });
}

describe.skipIf(NO_PERF !== undefined)(
  `what perf script prints${NO_PERF === undefined ? '' : ` (skipped: ${NO_PERF})`}`,
  () => {
    test.each([
      ['little-endian', {}],
      ['big-endian', { isLittle: false }],
      ['compressed', { isCompressed: true }],
      [
        'with callchains, branches, registers, stacks and values',
        { moreFields: 0x10 | 0x20 | 0x800 | 0x1000 | 0x2000 | 0x2_0000 | 0x4_0000 },
      ],
    ])('constructed PEBS, %s', (name, options) => {
      const recording = constructPebs({ samples: 500, ...options });
      const path = save(`pebs ${name}`, recording);
      const binary = collect(recording);
      expectSame(binary, fromScript(perfScript(path, PEBS), PEBS), MEMORY);
      expect(binary.tables.lost).toMatchObject({ records: 3, samples: 2, outOfOrder: 0, skipped: {} });
    });

    test(`${SEEDS} constructed PEBS recordings of drawn fields and byte order`, () => {
      for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
        const random = new RandomNumbers(seed);
        const moreFields = [
          0x10, 0x20, 0x40, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x2_0000, 0x4_0000, 0x20_0000, 0x80_0000,
        ]
          .filter(() => random.chance(40))
          .reduce((sum, bit) => sum | bit, 0);
        const recording = constructPebs({
          seed,
          samples: 40 + random.below(200),
          moreFields,
          isLittle: random.chance(50),
          isCompressed: random.chance(30),
        });
        expectSame(collect(recording), fromScript(perfScript(save('drawn', recording), PEBS), PEBS), MEMORY);
      }
    });

    test('constructed PEBS from a pipe', () => {
      const recording = constructPebs({ samples: 500, isPipe: true });
      const text = perf(['script', '-i', '-', '--ns', '-F', PEBS], recording);
      expectSame(collect(recording), fromScript(text, PEBS), MEMORY);
    });

    test('the second latency and the page size of loads', () => {
      const fields = `${THREAD},cpu,addr,ins_lat,data_page_size`;
      const recording = constructPebs({ samples: 300 });
      const path = save('latencies', recording);
      const text = perfScript(path, fields);
      expectSame(collect(recording), fromScript(text, fields), [
        ...COMMON,
        'address',
        'instructionLatency',
        'dataPageSize',
      ]);
    });

    test('constructed IBS with what the kernel derives', () => {
      const fields = `${THREAD},cpu,addr,period,data_src,weight`;
      const recording = constructIbs({ samples: 500, hasDataSource: true });
      expectSame(
        collect(recording),
        fromScript(perfScript(save('ibs', recording), fields), fields),
        MEMORY.filter((name) => name !== 'physicalAddress'),
      );
    });

    test("constructed IBS: registers as perf's own decoder shows them", () => {
      const recording = constructIbs({ samples: 300 });
      const { columns } = collect(recording);
      const dump = perf(['script', '-i', save('registers', recording), '-D'])
        .split('event: 9\n')
        .slice(1);
      const shown = dump.map((text) => {
        const number = (pattern: RegExp, base = 10): number => parseInt(pattern.exec(text)?.[1] ?? '0', base);
        const [load, store, miss] = [number(/LdOp (\d)/), number(/StOp (\d)/), number(/DcMiss (\d)/)];
        return {
          address: number(/IbsDCLinAd:\s+([0-9a-f]+)/, 16),
          physical: number(/IbsDCPhysAd:\s+([0-9a-f]+)/, 16),
          operation: load ? 2 : store ? 4 : 1,
          weight: load && miss ? number(/DcMissLat\s+(\d+)/) : 0,
          retire: load && miss ? number(/TagToRetCtr\s+(\d+)/) : 0,
          locked: number(/DcLockedOp (\d)/),
          width: number(/OpMemWidth\s+(\d+) bytes/),
        };
      });
      const read = columns.time.map((_, row) => ({
        address: Number(columns.address[row]),
        physical: Number(columns.physicalAddress[row]),
        operation: sourceOf(columns.dataSource[row]).operation,
        weight: Number(columns.weight[row]),
        retire: columns.instructionLatency[row],
        locked: sourceOf(columns.dataSource[row]).lock === 2 ? 1 : 0,
        width: columns.sizeBytes[row],
      }));
      expect(read).toEqual(shown);
    });

    test('constructed SPE: loads and stores, of two CPUs, in order of time', () => {
      const fields = `${THREAD},cpu,addr,period,data_src,weight,phys_addr`;
      const recording = constructSpe({ samples: 500 });
      const text = perf(['script', '-i', save('spe', recording), '--itrace=M', '--ns', '-F', `hw:${fields}`])
        .split('\n')
        .filter((line) => line.includes(' memory:'))
        .join('\n');
      const printed = fromScript(text, fields);
      const binary = collect(recording);
      expect(printed.columns.time.length).toBe(binary.columns.time.length);
      for (const name of MEMORY.filter((one) => one !== 'event'))
        expect(binary.columns[name], name).toEqual(printed.columns[name]);
      expect(threadNamesOf(binary)).toEqual(threadNamesOf(printed));
    });

    const refused = NO_PERF ?? debugRegistersRefused();
    test.skipIf(refused !== undefined).each([
      ['a file', []],
      ['compressed, with build ids in its mappings', ['-z', '--buildid-mmap']],
      ['with CPUs', ['--sample-cpu']],
    ])(`real samples of a debug register, %s${refused === undefined ? '' : ` (skipped: ${refused})`}`, (name, more) => {
      const program = buildCounter();
      const path = join(folder, `real ${name}`);
      perf(['record', '-q', '-e', `mem:${program.address}:rw`, '-c', '1', '-d', ...more, '-o', path, program.path]);
      const hasCpu = more.includes('--sample-cpu');
      const fields = `${THREAD},addr,period,data_src${hasCpu ? ',cpu' : ''}`;
      const binary = collect(readFileSync(path));
      const wanted = [
        ...COMMON,
        'address',
        'period',
        'dataSource',
        ...(hasCpu ? ['cpu' as const] : []),
      ] as ColumnName[];
      expectSame(binary, fromScript(perfScript(path, fields), fields), wanted);
      const mine = binary.columns.address.filter(
        (address, row) => BigInt(address) === BigInt(program.address) && BigInt(binary.columns.ip[row]) < 1n << 63n,
      );
      expect(mine.length).toBe(program.rounds);
      expect(binary.columns.cpu.every((cpu) => (cpu !== NOWHERE) === hasCpu)).toBe(true);
      expect(binary.tables.events[0]).toMatchObject({
        source: 'breakpoint',
        type: 5,
        address: program.address,
        isFrequency: false,
        period: '0x1',
      });
      expect(filesOf(binary)).toEqual(
        perfScript(path, 'ip,dso')
          .trimEnd()
          .split('\n')
          .map((line) => line.trim().replace(' (', ' ').replace(/\)$/, '')),
      );
      const mapped = binary.tables.mappings.find(({ file, isExecutable }) => file === program.path && isExecutable);
      expect(mapped?.buildId).toBe(program.buildId);
    });
  },
);

interface Counter {
  readonly path: string;
  readonly address: string;
  readonly rounds: number;
  readonly buildId: string;
}

let counter: Counter | undefined;

/** One instruction in each round loads and stores the variable. */
function buildCounter(): Counter {
  if (counter !== undefined) return counter;
  const path = join(folder, 'counter');
  const source = join(folder, 'counter.c');
  const rounds = 500;
  writeFileSync(
    source,
    `volatile long counter;\nint main(void) {\n  for (int i = 0; i < ${rounds}; i++) counter = counter + i;\n  ` +
      `return 0;\n}\n`,
  );
  const built = spawnSync('clang-19', ['-O1', '-fno-vectorize', '-no-pie', '-Wl,--build-id=sha1', source, '-o', path], {
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(built.stderr);
  const address = /^0*([0-9a-f]+) \S counter$/m.exec(spawnSync('nm', [path], { encoding: 'utf8' }).stdout)![1];
  const buildId = /Build ID: ([0-9a-f]+)/.exec(spawnSync('readelf', ['-n', path], { encoding: 'utf8' }).stdout)![1];
  return (counter = { path, address: `0x${address}`, rounds, buildId });
}

function debugRegistersRefused(): string | undefined {
  const { status } = spawnSync('perf', ['record', '-q', '-e', 'mem:0x1000:rw', '-o', join(folder, 'probe'), 'true']);
  return status === 0 ? undefined : 'perf may not use debug registers here';
}
