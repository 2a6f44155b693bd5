// Stage: test. `dprof machines`, and machines on the command lines of what replays.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { PRESETS } from '../../src/machine/presets.js';
import { dprof, makeFolder, saveTrace, writePairTrace } from './command-line.js';

const folder = makeFolder();

test('the presets are listed, each with its source', () => {
  const { status, stdout, stderr } = dprof('machines');
  expect([status, stderr]).toEqual([0, '']);
  const lines = stdout.split('\n');
  for (const [name, { source }] of Object.entries(PRESETS)) {
    expect(lines.filter((line) => line.startsWith(`${name} `))).toHaveLength(1);
    expect(lines).toContain(`  ${name.padEnd(16)} ${source}`);
  }
  expect(lines).toContain('skylake-sp       32K/8   1M/16     39424K/11 per 28                28  mesif');
});

test('a preset is printed, edited and given back', () => {
  const trace = saveTrace(folder, 'pair.dptrace', writePairTrace(3).finish());
  const machineOf = (name: string): { lineBytes: number } =>
    JSON.parse(dprof('report', trace, '--machine', name, '--format', 'json', '--engine', 'ts').stdout).machine;
  const path = join(folder, 'my.json');
  writeFileSync(path, dprof('machines', 'paper').stdout);
  expect(machineOf(path)).toEqual(machineOf('paper'));
  expect(dprof('machines', path).stdout).toBe(dprof('machines', 'paper').stdout);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"lineBytes": 64', '"lineBytes": 128'));
  expect(machineOf(path)).toEqual({ ...machineOf('paper'), lineBytes: 128 });
});

test('the schema is printed as it is shipped', () => {
  expect(dprof('machines', '--schema').stdout).toBe(
    readFileSync(resolve(import.meta.dirname, '../../docs/machine.schema.json'), 'utf8'),
  );
});

test.each([
  [
    ['machines', 'zen1'],
    'dprof: --machine zen1: neither a preset nor a file that can be read (ENOENT)\nhint: use default, paper, ' +
      'skylake-sp, ice-lake-sp, sapphire-rapids, zen2, zen3, zen4, graviton3, host, or the path of a JSON file; ' +
      'docs/machines.md describes machine files, docs/machine.schema.json says the same to an editor\n',
  ],
  [['machines', 'zen2', '--schema'], 'dprof: --schema does nothing for zen2\nhint: give a machine or --schema\n'],
])('%j is refused', (words, stderr) => {
  expect(dprof(...words)).toEqual({ status: 2, stdout: '', stderr });
});

test('a program is not run for a machine that makes no sense', () => {
  const mark = join(folder, 'ran');
  expect(dprof('run', '--policy', 'plru', '--', 'touch', mark)).toEqual({
    status: 2,
    stdout: '',
    stderr:
      "dprof: --policy l1: 'plru' is not one of lru, tree-plru, bit-plru, srrip, fifo, random\nhint: for " +
      'example --policy l1=lru\n',
  });
  expect(existsSync(mark)).toBe(false);
});

test('help names every flag once, those of the machine together', () => {
  const { stdout } = dprof('report', '--help');
  const [, machine, replay] = stdout.split(/^Machine \(docs\/machines\.md\):$|^Replay \(docs\/replay\/README\.md\):$/m);
  const flagsOf = (text: string): string[] => [...text.matchAll(/(--[a-z0-9-]+) </g)].map(([, flag]) => flag);
  expect(flagsOf(machine)).toEqual([
    '--machine',
    '--cores',
    '--l1',
    '--l2',
    '--llc',
    '--line',
    '--policy',
    '--inclusion',
    '--prefetch',
    '--protocol',
    '--smt',
    '--share',
    '--sockets',
    '--tlb',
    '--pages',
    '--colouring',
    '--latency',
    '--seed',
  ]);
  expect(flagsOf(replay)).toContain('--engine');
});

test('help says that --machine may be given several times where it may', () => {
  const said = (command: string): boolean =>
    dprof('help', command)
      .stdout.replace(/\s+/g, ' ')
      .includes('JSON file (default: default); may be given several times');
  expect(
    Object.fromEntries(
      ['report', 'replay', 'run', 'html', 'annotate', 'export', 'diff', 'dump', 'sweep', 'validate'].map((command) => [
        command,
        said(command),
      ]),
    ),
  ).toEqual({
    report: true,
    replay: true,
    run: true,
    html: false,
    annotate: false,
    export: false,
    diff: false,
    dump: false,
    sweep: false,
    validate: false,
  });
});
