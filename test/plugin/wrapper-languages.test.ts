// Stage: test of dprof-cc on other languages. Each program is recorded, and its report names the language's own types
// where its debug information has them. A language whose compiler is not installed is skipped; `sh scripts/setup.sh
// --tests` installs them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { DPROF_CC, DPROF_CXX, ROOT, WORK } from './recorded-program.js';
import { outputOf } from '../cli/command-client.js';
import { CLANGXX, FLANG } from './clang.js';

const FOLDER = join(WORK, 'languages');
const DPROF = join(ROOT, 'bin/dprof');

beforeAll(() => {
  mkdirSync(FOLDER);
});

function call(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: FOLDER, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stderr}`);
  return stdout;
}

/** The output of the recorded program, and its references by type. */
function record(program: string): { stdout: string; types: Record<string, number>; references: number } {
  const trace = join(FOLDER, `${program}.dptrace`);
  const stdout = call(DPROF, 'record', '-o', trace, '--', `./${program}`);
  const { rows, totals } = JSON.parse(outputOf(['report', trace, '--view', 'data-profile', '--format', 'json']));
  const types = rows.map((row: { type: string; references: { loads: number; stores: number } }) => [
    row.type,
    row.references.loads + row.references.stores,
  ]);
  return { stdout, types: Object.fromEntries(types), references: totals.references };
}

const RUST = '/usr/bin/rustc'; // Debian's 1.63, of LLVM 14: newer ones write bitcode that LLVM 19 does not read
const RUST_LIBRARY = readdirSync('/usr/lib/x86_64-linux-gnu').find((name) => /^libstd-\w+\.so$/.test(name));

test.skipIf(!existsSync(RUST) || !RUST_LIBRARY)('Rust, by its bitcode (Debian package rustc)', () => {
  writeFileSync(
    join(FOLDER, 'list.rs'),
    `struct Item { a: u32, b: u64, next: Option<Box<Item>> }
#[inline(never)]
fn grow(list: Option<Box<Item>>, a: u32) -> Option<Box<Item>> { Some(Box::new(Item { a, b: 2, next: list })) }
#[inline(never)]
fn sum(mut at: &Option<Box<Item>>) -> u64 { let mut total = 0; while let Some(item) = at { total += item.a as u64 + item.b; at = &item.next; } total }
fn main() {
    let mut list = None;
    for i in 0..1000 { list = grow(list, i); }
    println!("{}", sum(&list));
}
`,
  );
  call(
    RUST,
    '-g',
    '-C',
    'opt-level=1',
    '-C',
    'prefer-dynamic',
    '-C',
    'codegen-units=1',
    '--emit=llvm-bc',
    'list.rs',
    '-o',
    'list.bc',
  );
  call(DPROF_CC, '-O1', '-Wno-override-module', 'list.bc', `/usr/lib/x86_64-linux-gnu/${RUST_LIBRARY}`, '-o', 'rust');
  const { stdout, types } = record('rust');
  expect(stdout).toBe('501500\n');
  // 3 stores to make each, 3 loads to add it up; what the drop at the end does comes on top
  expect(types['struct Item']).toBeGreaterThanOrEqual(6000);
});

test.skipIf(!existsSync(FLANG))(
  'Fortran, by flang: scalar types only, as flang 19 describes no more (Debian package flang-19)',
  () => {
    writeFileSync(
      join(FOLDER, 'sum.f90'),
      `program sums
  implicit none
  real(8), allocatable :: grid(:)
  integer :: i
  real(8) :: total
  allocate(grid(1000))
  do i = 1, 1000
    grid(i) = i * 0.5d0
  end do
  total = 0
  do i = 1, 1000
    total = total + grid(i)
  end do
  print '(F10.1)', total
end program
`,
    );
    call(DPROF_CC.replace(/cc$/, 'fc'), '-O1', 'sum.f90', '-o', 'fortran');
    expect(call('./fortran')).toBe('  250250.0\n');
    const { stdout, types } = record('fortran');
    expect(stdout).toBe('  250250.0\n');
    expect(types['heap-8000@_QQmain']).toBe(1500); // the loop that fills it stores two at once
  },
);

const OBJC_HEADERS = ['12', '13', '14']
  .map((version) => `/usr/lib/gcc/x86_64-linux-gnu/${version}/include`)
  .find((folder) => existsSync(`${folder}/objc/Object.h`));

test.skipIf(!OBJC_HEADERS)('Objective-C (Debian package gobjc)', () => {
  writeFileSync(
    join(FOLDER, 'counter.m'),
    `#import <objc/Object.h>
#include <objc/runtime.h>
#include <stdio.h>
#include <stdlib.h>
struct pair { int x, y; };
@interface Counter : Object { int count; struct pair *pairs; }
- (int) add: (int) n;
@end
@implementation Counter
- (int) add: (int) n {
  if (!pairs) pairs = calloc(10, sizeof(struct pair));
  pairs[n % 10].y += n;
  count += n;
  return count + pairs[n % 10].y;
}
@end
int main(void) {
  Counter *counter = class_createInstance(objc_getClass("Counter"), 0);
  int result = 0;
  for (int i = 0; i < 100; i++) result = [counter add: i];
  printf("%d\\n", result);
}
`,
  );
  call(DPROF_CC, '-O1', `-I${OBJC_HEADERS}`, 'counter.m', '-lobjc', '-o', 'objc');
  expect(record('objc')).toMatchObject({ stdout: '5490\n', types: { 'struct Counter': 401, 'struct pair': 300 } });
});

test('C++, by text of its intermediate form that another command wrote', () => {
  writeFileSync(
    join(FOLDER, 'boxes.cc'),
    `#include <cstdio>
struct Box { int width, height; };
int main() { Box *boxes = new Box[100]; long area = 0; for (int i = 0; i < 100; i++) boxes[i] = {i, 2}; for (int i = 0; i < 100; i++) area += boxes[i].width * boxes[i].height; std::printf("%ld\\n", area); delete[] boxes; }
`,
  );
  call(CLANGXX, '-g', '-O1', '-S', '-emit-llvm', 'boxes.cc', '-o', 'boxes.ll');
  call(DPROF_CXX, '-O0', 'boxes.ll', '-o', 'boxes');
  expect(record('boxes')).toMatchObject({ stdout: '9900\n', types: { Box: 400 } });
});
