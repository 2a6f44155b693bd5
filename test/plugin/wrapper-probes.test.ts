// Stage: test of dprof-cc in configure scripts. What autoconf and CMake find out with it is what they find out with
// clang.
import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { DPROF_CC, DPROF_CXX, WORK } from './recorded-program.js';
import { IS_AT_LENGTH } from '../at-length.js';
import { CLANG, CLANGXX } from './clang.js';

const COMPILERS = { clang: [CLANG, CLANGXX], dprof: [DPROF_CC, DPROF_CXX] } as const;
type Name = keyof typeof COMPILERS;

// One of each kind: what the runtime stands in front of, new in libc, gone from it, elsewhere, a C++ operator, the
// runtime's own, nowhere.
const FUNCTIONS = [
  'malloc',
  'reallocarray',
  'pthread_create',
  'arc4random',
  'pvalloc',
  'bsd_signal',
  'dlopen',
  '_Znwm',
  '__dprof_refill_all',
  'no_such_function',
];
const HEADERS = ['stdatomic.h', 'linux/io_uring.h', 'sys/event.h', 'dprof.h'];
const FLAGS = ['-Wall', '-Wno-such-warning', '-flto', '-march=native', '-fno-such-flag', '-fpass-plugin=none'];

const runFile = promisify(execFile);

async function runIn(
  folder: string,
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<void> {
  await runFile(command, args, {
    cwd: folder,
    timeout: 900_000,
    maxBuffer: 1 << 26,
    env: { ...process.env, ...environment },
  }).catch((error: { code?: unknown; stdout?: string; stderr?: string }) => {
    throw new Error(
      `${command} ${args.join(' ')} ended with ${String(error.code)}\n${error.stdout?.slice(-3000)}\n` +
        `${error.stderr?.slice(-3000)}`,
    );
  });
}

function folderOf(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(WORK, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

const hasAutoconf = spawnSync('sh', ['-c', 'command -v autoconf autoheader']).status === 0;

test.runIf(hasAutoconf && IS_AT_LENGTH)('autoconf', async () => {
  const folder = folderOf('autoconf', {
    'config.h.in': '#undef SIZEOF_LONG\n',
    'configure.ac': `AC_INIT([probes], [1])
AC_CONFIG_HEADERS([config.h])
AC_PROG_CC
AC_PROG_CXX
AC_PROG_CPP
AC_SYS_LARGEFILE
AC_C_BIGENDIAN
AC_C_FLEXIBLE_ARRAY_MEMBER
AC_CHECK_SIZEOF([long double])
AC_CHECK_ALIGNOF([double])
AC_FUNC_ALLOCA
AC_FUNC_REALLOC
AC_FUNC_MMAP
AC_FUNC_FORK
AC_SEARCH_LIBS([pthread_create], [pthread])
AC_SEARCH_LIBS([sqrt], [m])
AC_CHECK_FUNCS([${FUNCTIONS.join(' ')}])
AC_CHECK_HEADERS([${HEADERS.join(' ')}])
AC_CHECK_DECLS([strlcpy, malloc_usable_size], [], [], [[#include <string.h>
#include <malloc.h>]])
AC_CHECK_MEMBERS([struct stat.st_mtim])
AC_CACHE_CHECK([for thread-local variables], [my_cv_tls], [AC_RUN_IFELSE([AC_LANG_SOURCE([[static __thread int n = 3; int main(void) { return n - 3; }]])], [my_cv_tls=yes], [my_cv_tls=no])])
AC_CACHE_CHECK([for __atomic], [my_cv_atomic], [AC_LINK_IFELSE([AC_LANG_PROGRAM([[long n;]], [[return __atomic_fetch_add(&n, 1, 5);]])], [my_cv_atomic=yes], [my_cv_atomic=no])])
AC_CACHE_CHECK([for static links], [my_cv_static], [save=$LDFLAGS; LDFLAGS=-static; AC_RUN_IFELSE([AC_LANG_PROGRAM()], [my_cv_static=yes], [my_cv_static=no])
LDFLAGS=$save])
AC_CACHE_CHECK([for uncommon symbols], [my_cv_underscore], [AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int f(void) { return 0; }]])], [my_cv_underscore=$(nm conftest.$ac_objext | grep -c ' T ')])])
for flag in ${FLAGS.join(' ')}; do
  save=$CFLAGS
  CFLAGS="$CFLAGS -Werror $flag"
  AC_LINK_IFELSE([AC_LANG_PROGRAM()], [echo "$flag=yes" >>flags], [echo "$flag=no" >>flags])
  CFLAGS=$save
done
AC_OUTPUT
`,
  });
  for (const name of ['config.guess', 'config.sub'])
    copyFileSync(`/usr/share/autoconf/build-aux/${name}`, join(folder, name));
  await runIn(folder, 'autoheader', ['--force']);
  await runIn(folder, 'autoconf', ['--force']);
  const found = async (name: Name): Promise<{ config: string; cache: readonly string[]; flags: string }> => {
    const build = join(folder, name);
    mkdirSync(build);
    const [CC, CXX] = COMPILERS[name];
    await runIn(build, '../configure', ['-C'], { CC, CXX });
    const answers = readFileSync(join(build, 'config.cache'), 'utf8')
      .split('\n')
      .filter((line) => /^(ac_cv|my_cv)/.test(line));
    return {
      config: readFileSync(join(build, 'config.h'), 'utf8'),
      flags: readFileSync(join(build, 'flags'), 'utf8'),
      cache: answers.filter((line) => !/^ac_cv_(env|prog_(ac_ct_)?(CC|CXX|CPP)=|prog_CPP)/.test(line)),
    };
  };
  const [expected, actual] = await Promise.all([found('clang'), found('dprof')]);
  expect(expected.cache.length).toBeGreaterThan(60);
  expect(expected.config).toContain('#define HAVE_REALLOCARRAY 1');
  expect(actual).toEqual(expected);
});

test('CMake', async () => {
  const folder = folderOf('cmake', {
    'CMakeLists.txt': `cmake_minimum_required(VERSION 3.25)
project(probes C CXX)
include(CheckFunctionExists)
include(CheckSymbolExists)
include(CheckIncludeFile)
include(CheckTypeSize)
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
include(CheckIPOSupported)
include(CheckCSourceRuns)
find_package(Threads REQUIRED)
foreach(function malloc bsd_signal _Znwm __dprof_refill_all)
  check_function_exists(\${function} FUNCTION_\${function})
endforeach()
foreach(header ${HEADERS.slice(1, 3).join(' ')})
  check_include_file(\${header} HEADER_\${header})
endforeach()
foreach(flag ${FLAGS.slice(1, 4).join(' ')})
  check_c_compiler_flag(\${flag} C\${flag})
endforeach()
check_linker_flag(C -Wl,--no-such-flag LINK_NONE)
check_symbol_exists(EPOLLEXCLUSIVE sys/epoll.h SYMBOL_EPOLL)
check_type_size("long double" LONG_DOUBLE)
check_pie_supported(LANGUAGES C)
check_ipo_supported(RESULT lto OUTPUT reason LANGUAGES CXX)
set(LTO "\${lto}" CACHE STRING "")
set(FEATURES "\${CMAKE_C_COMPILE_FEATURES};\${CMAKE_CXX_COMPILE_FEATURES}" CACHE STRING "")
set(COMPILER "\${CMAKE_C_COMPILER_ID} \${CMAKE_C_COMPILER_VERSION} \${CMAKE_C_IMPLICIT_LINK_DIRECTORIES} \${CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES}" CACHE STRING "")
check_c_source_runs("int main(void) { return 0; }" RUNS)
`,
  });
  const found = async (name: Name): Promise<string[]> => {
    const [CC, CXX] = COMPILERS[name];
    await runIn(folder, 'cmake', ['-S', '.', '-B', name, '-G', 'Ninja'], { CC, CXX });
    const lines = readFileSync(join(folder, name, 'CMakeCache.txt'), 'utf8')
      .split('\n')
      .filter((line) => /^[^#/].*:.*=/.test(line));
    // Tools are looked for by the compiler's name (llvm-ar-19 beside clang-19), folders are each run's own.
    return lines.filter(
      (line) => !/:FILEPATH=|:STATIC=|^CMAKE_(C|CXX)_COMPILER|^CMAKE_CACHEFILE_DIR|^CMAKE_HOME/.test(line),
    );
  };
  const [expected, actual] = await Promise.all([found('clang'), found('dprof')]);
  expect(expected.length).toBeGreaterThan(50);
  expect(expected).toContain('FUNCTION_malloc:INTERNAL=1');
  expect(actual).toEqual(expected);
});
