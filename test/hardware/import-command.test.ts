// dprof import and dprof dump as a user calls them: what they print, what is left of a failed import, and what names
// may be.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SampleField } from '../../src/hardware/import/perf-layout.js';
import { dprof, DPROF, makeFolder } from '../cli/command-line.js';
import { constructIbs, constructPebs, constructSpe } from './constructed.js';
import { PerfDataWriter } from './perf-data-writer.js';

const folder = makeFolder();
const F = SampleField;

function save(name: string, bytes: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

function hostile(): Buffer {
  const writer = new PerfDataWriter({ hostname: 'a\nb', command: ['perf', '\u202e"'] });
  writer.event({
    name: 'mem: two words',
    type: 5,
    config1: 0x1000n,
    config2: 4n,
    fields: F.ip | F.tid | F.time | F.address | F.dataSource | F.weightStruct,
    ids: [1n],
  });
  writer.comm(7, 7, 'a\nname', 1n);
  writer.comm(7, 8, '\u202e\u001b[31mred', 2n);
  writer.mmap2(7, 0x1000n, 0x1000n, 0x40n, '/tmp/<b>&\n', 3n);
  writer.sample(0, {
    ip: 0x1004n,
    pid: 7,
    tid: 8,
    time: 9n,
    address: 0xffff_ffff_ffff_fff8n,
    dataSource: 0x1e05080021n,
    weight: (3n << 48n) | (2n << 32n) | 1n,
  });
  writer.lost(1n, 5n, 9n);
  return writer.finish();
}

test('a dump says everything, and names are text', () => {
  const samples = join(folder, 'hostile.dpsamples');
  expect(dprof('import', save('hostile.data', hostile()), '-o', samples)).toEqual({
    status: 0,
    stdout: '1 sample of 1 event\nlost: 5 records without room, 0 samples dropped, 0 trace buffers cut short\n',
    stderr: '',
  });
  expect(dprof('dump', samples)).toEqual({
    status: 0,
    stderr: '',
    stdout: [
      "samples 1 of perf.data, x86_64, little-endian, clock perf's own",
      'hostname "a\\nb"',
      'kernel "6.12.0"',
      'cpu "a constructed processor"',
      'cpuId "GenuineIntel,6,106,6"',
      'perfVersion "6.12"',
      'command "perf" "\\u{202e}\\""',
      'event 0 "mem: two words" breakpoint 1 samples, type 5, config 0x0, period 1, precise 0, says ip thread ' +
        'time address weightStruct dataSource',
      'name 1 7/7 "a\\nname"',
      'name 2 7/8 "\\u{202e}\\u001b[31mred"',
      'mapping 3 pid 7 0x1000 0x1000 bytes from 0x40 executable "/tmp/<b>&\\n"',
      'lost 5 records that found no room',
      'sample 9 7/8 cpu - "mem: two words" ip 0x1004 ("/tmp/<b>&\\n"+0x44) address 0xfffffffffffffff8 period 1 ' +
        'weight 1 instruction 2 retire 3 from unknown op=n/a level=n/a number=n/a snoop=n/a tlb=n/a lock=n/a',
      '',
    ].join('\n'),
  });
});

test.each([
  ['PEBS', constructPebs()],
  ['IBS', constructIbs()],
  ['SPE', constructSpe()],
  ['a pipe', constructPebs({ isPipe: true })],
])('standard input: %s', (name, recording) => {
  const [piped, named] = [join(folder, 'piped.dpsamples'), join(folder, 'named.dpsamples')];
  const { status, stdout, stderr } = spawnSync(DPROF, ['import', '-', '-o', piped], {
    input: recording,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(dprof('import', save(`${name}.data`, recording), '-o', named).stdout).toBe(stdout);
  expect(readFileSync(piped)).toEqual(readFileSync(named));
  const dumped = spawnSync(DPROF, ['dump', '-'], { input: readFileSync(piped), encoding: 'utf8' });
  expect(dumped.stdout).toBe(dprof('dump', named).stdout);
});

const TEXT =
  '     a worker  4000/4001     5.000002583: cpu/mem-loads/P:     7f00cc102cb0           46e025 main+0x5 (/tmp/a b)\n';

test("perf script's text, by its fields", () => {
  const samples = join(folder, 'text.dpsamples');
  const path = save('script.txt', TEXT);
  expect(dprof('import', path, '--fields', 'comm,pid,tid,time,event,ip,sym,dso,addr', '-o', samples)).toEqual({
    status: 0,
    stdout: '1 sample of 1 event\n',
    stderr: '',
  });
  expect(dprof('dump', samples).stdout.trimEnd().split('\n').pop()).toBe(
    'sample 5000002583 4000/4001 cpu - cpu/mem-loads/P ip 0x46e025 address 0x7f00cc102cb0 period 0',
  );
});

const missing = join(folder, 'missing');
const hintOfFields =
  'say with --fields what perf script -F printed; callchains are not read (perf script -G leaves them out)';

test.each<[string, string[], number, string, string]>([
  ['no file', [missing], 1, `cannot read ${missing} (ENOENT)`, 'check the path'],
  [
    'an empty file',
    [save('empty', '')],
    1,
    `${join(folder, 'empty')}: perf.data at offset 0: expected "PERFILE2", found an empty file`,
    'nothing was recorded into it; perf record says why on its standard error',
  ],
  [
    'another file',
    [save('other', Buffer.alloc(200, 1))],
    1,
    `${join(folder, 'other')}: perf.data magic at offset 0: expected "PERFILE2", found "${'\\u0001'.repeat(8)}"`,
    'this is not a perf.data file; name one that perf record wrote',
  ],
  [
    'a cut one',
    [save('cut', constructPebs().subarray(0, 1000))],
    1,
    `${join(folder, 'cut')}: data section at offset 40: expected an end of at most 1000 bytes, found 424 and ` +
      '19016 more',
    'the file is damaged or was cut short; record it again with perf record',
  ],
  [
    'text of other fields',
    [save('text', TEXT)],
    1,
    `${join(folder, 'text')}: line at offset 0: expected the fields ` +
      `comm,pid,tid,cpu,time,period,event,addr,data_src,weight,ip, found ${JSON.stringify(TEXT.trimEnd())}`,
    hintOfFields,
  ],
  [
    'a field that is none',
    [save('text', TEXT), '--fields', 'tid,colour'],
    2,
    "--fields: there is no field 'colour'",
    'there are comm, pid, tid, cpu, time, period, event, addr, data_src, weight, ins_lat, ip, sym, dso, ' +
      'phys_addr, data_page_size',
  ],
  [
    'too few fields',
    [save('text', TEXT), '--fields', 'tid,time,ip'],
    2,
    "--fields: 'event' is not among them",
    'samples need tid, time, event, ip: perf script -F comm,pid,tid,cpu,time,period,event,addr,data_src,weight,ip',
  ],
  [
    'fields of a perf.data',
    [save('whole', constructPebs()), '--fields', 'tid,time,ip,event'],
    2,
    '--fields is for the text of perf script',
    'a perf.data says itself what it holds',
  ],
])('refused: %s', (_, words, status, message, hint) => {
  const samples = join(folder, 'refused.dpsamples');
  const outcome = dprof('import', ...words, '-o', samples);
  expect(outcome).toEqual({ status, stdout: '', stderr: `dprof: ${message}\nhint: ${hint}\n` });
  expect([existsSync(samples), existsSync(`${samples}.incomplete`)]).toEqual([false, false]);
});

test('nothing can be written there', () => {
  const path = join(folder, 'none', 'x.dpsamples');
  expect(dprof('import', save('whole', constructPebs()), '-o', path)).toEqual({
    status: 1,
    stdout: '',
    stderr: `dprof: cannot write the samples ${path} (ENOENT)\nhint: choose another place with -o\n`,
  });
});

test('a file of samples that is not whole', () => {
  const samples = join(folder, 'whole.dpsamples');
  dprof('import', save('whole', constructPebs()), '-o', samples);
  const bytes = readFileSync(samples);
  const path = save('half.dpsamples', bytes.subarray(0, bytes.length - 1));
  expect(dprof('dump', path)).toEqual({
    status: 1,
    stdout: '',
    stderr:
      `dprof: samples trailer at offset ${bytes.length - 33}: expected "DPROFEND", found a file that is not ` +
      `whole\nhint: the file is damaged, or neither dprof import nor dprof sample wrote it; import the recording ` +
      `again\n`,
  });
  expect(dprof('dump', '--check-order', samples)).toEqual({
    status: 2,
    stdout: '',
    stderr: 'dprof: --check-order does nothing for samples\nhint: dprof dump SAMPLES prints them in order of time\n',
  });
});
