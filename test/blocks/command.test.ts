// Stage: test. `dprof block` as a user calls it: its sources, its JSON, and bad input in a line.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BlocksReport } from '../../src/blocks/block.js';
import { dprof, DPROF, makeFolder, run } from '../cli/command-line.js';
import { BLOCKS } from './measured-blocks.js';

const folder = makeFolder();
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

function jsonOf(...words: string[]): { report: BlocksReport; status: number | null; stderr: string } {
  const { status, stdout, stderr } = dprof('block', ...words, '--format', 'json', '--models', 'none');
  return { report: JSON.parse(stdout) as BlocksReport, status, stderr };
}

const hexesOf = ({ blocks }: BlocksReport): string[] => blocks.map(({ hex }) => hex);

describe('JSON', () => {
  test('has the keys that others rely on', () => {
    const { report, status } = jsonOf('--hex', '48 01 D8', '0f31');
    expect(status).toBe(report.blocks[0].status === 'measured' ? 0 : 1);
    expect(report.schema).toBe('dprof.block/1');
    expect(Object.keys(report)).toEqual(['schema', 'blocks']);
    for (const block of report.blocks)
      expect(Object.keys(block)).toEqual(
        'hex status reason cycles unit timings naive copies pages subnormals assembly models'.split(' '),
      );
    expect(report.blocks[1]).toEqual({
      hex: '0f31',
      status: 'rejected',
      reason: 'reads-clock',
      cycles: null,
      unit: report.blocks[0].unit,
      timings: null,
      naive: null,
      copies: null,
      pages: 0,
      subnormals: false,
      assembly: ['rdtsc'],
      models: {},
    });
    expect(['core-cycles', 'calibrated']).toContain(report.blocks[0].unit);
    expect(report.blocks[0].assembly).toEqual(['addq %rbx, %rax']);
  });

  test('of no block that can be measured ends with 1', () => {
    const { report, status, stderr } = jsonOf('--hex', 'f4');
    expect([report.blocks[0].reason, status, stderr]).toEqual(['privileged', 1, '']);
  });
});

describe('sources', () => {
  test('assembly in either syntax is the same bytes', () => {
    const att = file('att.s', '# three\nmovq 8(%rsp), %rax\n1: addl $1, (%rdi)\nvmovups 64(%rsi), %ymm1\n');
    const intel = file('intel.s', 'mov rax, [rsp + 8]\nadd dword ptr [rdi], 1\nvmovups ymm1, [rsi + 64]\n');
    const bytes = ['488b442408830701c5fc104e40'];
    expect(hexesOf(jsonOf('--asm', att).report)).toEqual(bytes);
    expect(hexesOf(jsonOf('--asm', intel, '--intel').report)).toEqual(bytes);
  });

  test("BHive's file: values stay beside what is measured", () => {
    const { report } = jsonOf('--csv', file('blocks.csv', '4801d8,100.0\r\n\n0F31,7\n480fafc3\n'));
    expect(report.blocks.map(({ hex, value }) => [hex, value])).toEqual([
      ['4801d8', 100],
      ['0f31', 7],
      ['480fafc3', undefined],
    ]);
    const [{ cycles, error }, { error: none }] = report.blocks;
    expect(error).toEqual(cycles === null ? undefined : (cycles - 100) / 100);
    expect(none).toBeUndefined();
  });

  test('a function of a program is cut into its basic blocks', () => {
    const source = file(
      'cut.s',
      '.globl cut\n.type cut, @function\ncut:\nxorl %eax, %eax\n1:\naddq %rdi, %rax\ndecq %rdi\njne 1b\n' +
        'call *%rax\nnop\njmp 2f\n.byte 6\n2:\nimulq %rax, %rax\nret\n.size cut, . - cut\n',
    );
    const object = join(folder, 'cut.so');
    execFileSync('clang-19', ['-shared', '-nostdlib', '-o', object, source]);
    const { report } = jsonOf('--program', object, '--function', 'cut');
    expect(report.blocks.map(({ assembly }) => assembly)).toEqual([
      ['xorl %eax, %eax'],
      ['addq %rdi, %rax', 'decq %rdi'],
      ['nop'],
      ['imulq %rax, %rax'],
    ]);
  });
});

describe('text', () => {
  test('of several blocks fits a terminal, and its counts add up', () => {
    const { stdout } = dprof('block', '--models', 'none', '--hex', '4801d8', '0f31', 'f4', '90'.repeat(30));
    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.length > 200)).toEqual([]);
    expect(stdout).toContain(' reads-clock');
    const [, all, counts] = /^(\d+) blocks: (.*);/m.exec(stdout)!;
    expect([...counts.matchAll(/\d+/g)].reduce((sum, [count]) => sum + Number(count), 0)).toBe(Number(all));
  });

  test('of one that cannot be measured is one line and a hint', () => {
    expect(dprof('block', '--hex', 'f4')).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'dprof: f4: rejected: it has an instruction of the kernel (privileged)\n' +
        'hint: docs/blocks.md says what each word means\n',
    });
  });
});

describe('bad input is a line and a hint', () => {
  test.each([
    [[], 'no block is given'],
    [['--hex', '90', '--csv', 'x'], 'blocks are given in two ways'],
    [['--hex', '9'], "--hex: '9' is not hexadecimal bytes"],
    [['--hex', 'nope'], "--hex: 'nope' is not hexadecimal bytes"],
    [['--hex', '90', '--intel'], '--intel does nothing without --asm'],
    [['--asm', '/nowhere.s'], 'cannot read /nowhere.s (ENOENT)'],
    [
      ['--asm', file('bad.s', 'nop\nfoo %rax\n')],
      `${join(folder, 'bad.s')}: line 2: invalid instruction mnemonic 'foo'`,
    ],
    [['--asm', file('label.s', 'x: jmp x\n')], `${join(folder, 'label.s')}: an operand names a symbol or a label`],
    [['--asm', file('empty.s', '# nothing\n')], `${join(folder, 'empty.s')} has no instruction`],
    [['--program', DPROF], '--program and --function go together'],
    [['--program', '/nowhere', '--function', 'f'], 'there is no /nowhere'],
    [['--program', DPROF, '--function', 'f'], `${DPROF} is no 64-bit ELF file`],
    [['--program', BLOCKS, '--function', 'no_such'], `${BLOCKS} has no function no_such`],
  ] as const)('%j', (words, message) => {
    const { status, stdout, stderr } = dprof('block', ...words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^dprof: .*\nhint: .*\n$/);
    expect(stderr.split('\n')[0]).toBe(`dprof: ${message}`);
  });

  test('a file of ten thousand bad lines', () => {
    const bad = file('bad.csv', Array.from({ length: 10_000 }, (_, line) => `zz${line}\n`).join(''));
    const { status, stderr } = dprof('block', '--csv', bad);
    expect(status).toBe(2);
    expect(stderr.split('\n')).toEqual([
      `dprof: ${bad}: no 'bytes,value' in line 1 ('zz0'), 2 ('zz1'), 3 ('zz2') and 9997 more: left out`,
      `dprof: ${bad} has no block`,
      "hint: a line is 'bytes,value': 4801d8,100",
      '',
    ]);
  });

  test('of a file of good and bad lines, the good ones are measured', () => {
    const mixed = file('mixed.csv', '4801d8,100\nx,1\n480fafc3,-3\n90,1,2\n');
    const { report, stderr } = jsonOf('--csv', mixed);
    expect(hexesOf(report)).toEqual(['4801d8']);
    expect(stderr).toBe(
      `dprof: ${mixed}: no 'bytes,value' in line 2 ('x,1'), 3 ('480fafc3,-3'), 4 ('90,1,2'): left out\n`,
    );
  });
});

describe('a system that refuses', () => {
  const refuse = join(folder, 'refuse');
  beforeAll(() => {
    execFileSync('clang-19', ['-o', refuse, resolve(import.meta.dirname, 'programs/refuse.c')]);
  });

  test.each([
    ['ptrace', 101],
    ['seccomp', 317],
  ])('%s', (name, number) => {
    expect(run(refuse, String(number), DPROF, 'block', '--hex', '90')).toEqual({
      status: 1,
      stdout: '',
      stderr:
        `dprof: this system does not let a block be run (${name}: Operation not permitted)\n` +
        'hint: a container may need --cap-add SYS_PTRACE, or --security-opt seccomp=unconfined\n',
    });
  });
});

test('docs/blocks.md explains every word', async () => {
  const { REASONS } = await import('../../src/blocks/reasons.js');
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/blocks.md'), 'utf8');
  const words = [...Object.keys(REASONS), 'measured', 'crashed', 'rejected', 'timed-out', 'unstable'];
  expect(words.filter((word) => !page.includes(`\`${word}\``))).toEqual([]);
});
