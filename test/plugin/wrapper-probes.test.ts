// Stage: test of dprof-cc in configure scripts. What autoconf and CMake find out with it is what they find out with clang.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DPROF_CC, DPROF_CXX, WORK } from './recorded-program.js';

const COMPILERS = { clang: ['clang-19', 'clang++-19'], dprof: [DPROF_CC, DPROF_CXX] } as const;
type Name = keyof typeof COMPILERS;

const FUNCTIONS = [
  'malloc', 'calloc', 'reallocarray', 'aligned_alloc', 'posix_memalign', 'pvalloc', 'mmap', 'pthread_create', 'pthread_cond_clockwait', 'mtx_lock',
  'thrd_create', 'epoll_wait', 'sysv_signal', 'bsd_signal', 'eventfd', 'strlcpy', 'no_such_function', '_Znwm', '_ZdlPvm', '__dprof_refill_all',
  'dlopen', 'sqrt', 'fork', 'vfork', 'backtrace', 'arc4random', 'kqueue', 'setproctitle',
];
const HEADERS = ['stdatomic.h', 'threads.h', 'sys/epoll.h', 'sys/event.h', 'immintrin.h', 'no_such_header.h', 'malloc.h', 'linux/io_uring.h', 'dprof.h'];
const FLAGS = ['-Wall', '-Wno-such-warning', '-fno-plt', '-flto', '-fvisibility=hidden', '-march=native', '-fstack-protector-strong', '-fno-such-flag', '-pthread', '-fpass-plugin=none', '-fstack-clash-protection', '-mavx2'];

function runIn(folder: string, command: string, args: readonly string[], environment: Record<string, string> = {}): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', timeout: 280_000, env: { ...process.env, ...environment } });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout.slice(-3000)}\n${stderr.slice(-3000)}`);
}

function folderOf(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(WORK, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

const hasAutoconf = spawnSync('sh', ['-c', 'command -v autoconf autoheader']).status === 0;

test.skipIf(!hasAutoconf)('autoconf', { timeout: 600_000 }, () => {
  const folder = folderOf('autoconf', {
    'config.h.in': '#undef SIZEOF_LONG\n',
    'configure.ac': `AC_INIT([probes], [1])
AC_CONFIG_HEADERS([config.h])
AC_PROG_CC
AC_PROG_CXX
AC_PROG_CPP
AC_USE_SYSTEM_EXTENSIONS
AC_SYS_LARGEFILE
AC_C_BIGENDIAN
AC_C_INLINE
AC_C_RESTRICT
AC_C_TYPEOF
AC_C_CHAR_UNSIGNED
AC_C_FLEXIBLE_ARRAY_MEMBER
AC_CHECK_SIZEOF([long])
AC_CHECK_SIZEOF([void *])
AC_CHECK_SIZEOF([long double])
AC_CHECK_ALIGNOF([double])
AC_TYPE_INT64_T
AC_FUNC_ALLOCA
AC_FUNC_MALLOC
AC_FUNC_REALLOC
AC_FUNC_MMAP
AC_FUNC_FORK
AC_FUNC_STRERROR_R
AC_HEADER_STDBOOL
AC_SEARCH_LIBS([pthread_create], [pthread])
AC_SEARCH_LIBS([sqrt], [m])
AC_SEARCH_LIBS([dlopen], [dl])
AC_CHECK_FUNCS([${FUNCTIONS.join(' ')}])
AC_CHECK_HEADERS([${HEADERS.join(' ')}])
AC_CHECK_DECLS([strlcpy, environ, reallocarray, malloc_usable_size], [], [], [[#include <string.h>
#include <stdlib.h>
#include <unistd.h>
#include <malloc.h>]])
AC_CHECK_MEMBERS([struct stat.st_mtim, struct tm.tm_zone])
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
  for (const name of ['config.guess', 'config.sub']) copyFileSync(`/usr/share/autoconf/build-aux/${name}`, join(folder, name));
  runIn(folder, 'autoheader', ['--force']);
  runIn(folder, 'autoconf', ['--force']);
  const found = (name: Name): { config: string; cache: readonly string[]; flags: string } => {
    const build = join(folder, name);
    mkdirSync(build);
    const [CC, CXX] = COMPILERS[name];
    runIn(build, '../configure', ['-C'], { CC, CXX });
    const answers = readFileSync(join(build, 'config.cache'), 'utf8').split('\n').filter((line) => /^(ac_cv|my_cv)/.test(line));
    return {
      config: readFileSync(join(build, 'config.h'), 'utf8'), flags: readFileSync(join(build, 'flags'), 'utf8'),
      cache: answers.filter((line) => !/^ac_cv_(env|prog_(ac_ct_)?(CC|CXX|CPP)=|prog_CPP)/.test(line)),
    };
  };
  const [expected, actual] = [found('clang'), found('dprof')];
  expect(expected.cache.length).toBeGreaterThan(80);
  expect(expected.config).toContain('#define HAVE_REALLOCARRAY 1');
  expect(actual).toEqual(expected);
});

test('CMake', { timeout: 600_000 }, () => {
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
include(TestBigEndian)
find_package(Threads REQUIRED)
foreach(function ${FUNCTIONS.filter((_, i) => i % 3 === 0).join(' ')} _Znwm)
  check_function_exists(\${function} FUNCTION_\${function})
endforeach()
foreach(header ${HEADERS.slice(0, 4).join(' ')})
  check_include_file(\${header} HEADER_\${header})
endforeach()
foreach(flag ${FLAGS.slice(1, 8).join(' ')})
  check_c_compiler_flag(\${flag} C\${flag})
endforeach()
check_linker_flag(C -Wl,--gc-sections LINK_GC)
check_linker_flag(C -Wl,--no-such-flag LINK_NONE)
check_symbol_exists(EPOLLEXCLUSIVE sys/epoll.h SYMBOL_EPOLL)
check_type_size("long double" LONG_DOUBLE)
test_big_endian(BIG)
check_pie_supported()
check_ipo_supported(RESULT lto OUTPUT reason)
set(LTO "\${lto}" CACHE STRING "")
set(FEATURES "\${CMAKE_C_COMPILE_FEATURES};\${CMAKE_CXX_COMPILE_FEATURES}" CACHE STRING "")
set(COMPILER "\${CMAKE_C_COMPILER_ID} \${CMAKE_C_COMPILER_VERSION} \${CMAKE_C_IMPLICIT_LINK_DIRECTORIES} \${CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES}" CACHE STRING "")
check_c_source_runs("int main(void) { return 0; }" RUNS)
`,
  });
  const found = (name: Name): string[] => {
    const [CC, CXX] = COMPILERS[name];
    runIn(folder, 'cmake', ['-S', '.', '-B', name, '-G', 'Ninja'], { CC, CXX });
    const lines = readFileSync(join(folder, name, 'CMakeCache.txt'), 'utf8').split('\n').filter((line) => /^[^#/].*:.*=/.test(line));
    // Tools are looked for by the compiler's name (llvm-ar-19 beside clang-19), folders are each run's own.
    return lines.filter((line) => !/:FILEPATH=|:STATIC=|^CMAKE_(C|CXX)_COMPILER|^CMAKE_CACHEFILE_DIR|^CMAKE_HOME/.test(line));
  };
  const [expected, actual] = [found('clang'), found('dprof')];
  expect(expected.length).toBeGreaterThan(50);
  expect(expected).toContain('FUNCTION_malloc:INTERNAL=1');
  expect(actual).toEqual(expected);
});
