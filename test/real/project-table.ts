// Stage: test. Real projects and how each is built and tested by its own rules: what `projects.ts` runs under two
// compilers.

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

export interface Project {
  readonly name: string;
  /** Debian source package, or the script beside this file that fetches it. */
  readonly source?: string;
  readonly fetch?: string;
  /** Debian packages that it needs to build or to test. */
  readonly packages: readonly string[];
  /** Shell lines, in a copy of the source, with CC and CXX set. */
  readonly build: string;
  /** The project's own tests, in the same place. What they print says how many passed. */
  readonly suite: string;
  /** A part of them that is run recorded, where all would take too long. */
  readonly recordedSuite?: string;
  readonly count: (output: string) => Counts;
}

function matches(output: string, pattern: RegExp): number {
  return [...output.matchAll(pattern)].length;
}

/** One test for each line of either kind. */
function byLine(passed: RegExp, failed: RegExp): (output: string) => Counts {
  return (output) => ({ passed: matches(output, passed), failed: matches(output, failed) });
}

const SQLITE_TESTS = [
  'select1',
  'select5',
  'join',
  'index',
  'where',
  'where2',
  'trans',
  'btree01',
  'sort',
  'func',
  'expr',
  'alter',
  'trigger1',
  'view',
  'vacuum',
  'malloc5',
  'json101',
  'window1',
  'thread1',
  'wal',
];
// Without maxconns: it asks until it has enough connections, so plain builds pass 51 to 58 of its tests.
const MEMCACHED_TESTS = [
  '64bit',
  'binary',
  'cas',
  'daemonize',
  'evictions',
  'expirations',
  'flags',
  'flush-all',
  'getandtouch',
  'getset',
  'incrdecr',
  'item_size_max',
  'lru',
  'metaget',
  'noreply',
  'quit',
  'stats',
  'stats-detail',
  'touch',
  'unixsocket',
];
const REDIS_UNITS = [
  'unit/type/string',
  'unit/type/hash',
  'unit/type/set',
  'unit/type/zset',
  'unit/type/list',
  'unit/expire',
  'unit/scan',
  'unit/multi',
  'unit/sort',
  'unit/bitops',
  'unit/scripting',
];

export const PROJECTS: readonly Project[] = [
  {
    name: 'zlib',
    source: 'zlib',
    packages: ['make', 'bzip2'],
    build: './configure && make -j2',
    suite: 'make test',
    count: byLine(/\*\*\* .*test OK \*\*\*/g, /\*\*\* .*test FAILED \*\*\*/g),
  },
  {
    name: 'lz4',
    source: 'lz4',
    packages: ['make'],
    build:
      'make -j2 CC="$CC" lz4 && make -j2 -C tests CC="$CC" datagen fuzzer frametest fullbench roundTripTest ' +
      'checkFrame decompress-partial decompress-partial-usingDict',
    suite: [
      'set -e',
      'cd tests',
      'for t in basic sparse contentSize dict frame-concatenation multiple testmode; do make CC="$CC" ' +
        'test-lz4-$t && echo "PASS $t" || echo "FAIL $t"; done',
      'check() { echo "== $*"; if "$@"; then echo "PASS $1"; else echo "FAIL $1"; fi; }',
      'check ./fuzzer -s7 -i1500',
      'check ./frametest -s7 -i1500',
      'check ./decompress-partial',
      'check ./decompress-partial-usingDict',
      'check ./fullbench -i1 fullbench.c',
    ].join('\n'),
    recordedSuite:
      'cd tests; for t in basic sparse dict; do make CC="$CC" test-lz4-$t && echo "PASS $t" || echo "FAIL $t"; ' +
      'done; ./fuzzer -s7 -i100 && echo "PASS fuzzer"; ./decompress-partial && echo "PASS decompress-partial"',
    count: byLine(/^PASS /gm, /^FAIL /gm),
  },
  {
    name: 'zstd',
    source: 'libzstd',
    packages: ['make', 'python3', 'less'],
    build:
      'make -j2 -C programs CC="$CC" zstd && make -j2 -C tests CC="$CC" fuzzer poolTests datagen invalidDictionaries',
    suite: [
      'cd tests',
      'check() { echo "== $*"; if "$@" >suite.log 2>&1; then echo "PASS $1"; else echo "FAIL $1"; tail -n 5 ' +
        'suite.log; fi; }',
      'check ./poolTests',
      'check ./invalidDictionaries',
      'check ./fuzzer -s7 -i200 --no-big-tests',
      'cli-tests/run.py --zstd=../programs/zstd --datagen=./datagen',
    ].join('\n'),
    recordedSuite:
      'cd tests; for t in ./poolTests ./invalidDictionaries; do $t && echo "PASS $t" || echo "FAIL $t"; done; ' +
      'cli-tests/run.py --zstd=../programs/zstd --datagen=./datagen',
    count: byLine(/^PASS(: |ED: | )/gm, /^FAIL(: |ED: | )/gm),
  },
  {
    name: 'lua',
    fetch: 'fetch-lua.sh',
    packages: ['make', 'python3'],
    build: 'make -j2 CC="$CC" TESTS= MYCFLAGS="-std=c99 -DLUA_USE_LINUX" MYLIBS=-ldl lua',
    suite: 'cd testes && ../lua -e"_U=true" all.lua',
    count: byLine(/\bOK\b|^\.>>> closing state/gm, /^lua: |assertion failed/gm),
  },
  {
    name: 'sqlite',
    source: 'sqlite3',
    packages: ['make', 'tcl', 'tcl-dev', 'gcc', 'libc6-dev'],
    build: './configure --disable-readline --with-tcl=/usr/lib/tcl8.6 && make -j2 sqlite3 && make testfixture',
    suite: `for t in ${SQLITE_TESTS.join(' ')}; do ./testfixture test/$t.test; done`,
    recordedSuite: 'for t in select1 join index trans btree01 sort expr trigger1; do ./testfixture test/$t.test; done',
    count: (output) => {
      const ends = [...output.matchAll(/^(\d+) errors out of (\d+) tests/gm)];
      const failed = ends.reduce((sum, end) => sum + Number(end[1]), 0);
      return { failed, passed: ends.reduce((sum, end) => sum + Number(end[2]), 0) - failed };
    },
  },
  {
    name: 'memcached',
    source: 'memcached',
    packages: ['make', 'libevent-dev', 'perl'],
    build: './configure --disable-dependency-tracking && make -j2 all testapp',
    suite: `./testapp; prove -v ${MEMCACHED_TESTS.map((name) => `t/${name}.t`).join(' ')}`,
    recordedSuite: './testapp; prove -v t/64bit.t t/cas.t t/flags.t t/getset.t t/incrdecr.t t/noreply.t t/touch.t',
    count: byLine(/^ok \d+/gm, /^not ok \d+/gm),
  },
  {
    name: 'redis',
    source: 'redis',
    packages: ['make', 'tcl', 'procps'],
    build: 'make -j2 CC="$CC" CXX="$CXX"',
    suite: `./runtest --clients 2 ${REDIS_UNITS.map((unit) => `--single ${unit}`).join(' ')}`,
    recordedSuite: './runtest --clients 2 --single unit/type/hash --single unit/multi --single unit/expire',
    // The words are coloured.
    count: byLine(/\[(\x1b\[[\d;]*m)?ok\x1b/g, /\[(\x1b\[[\d;]*m)?(err|exception|timeout)\x1b/g),
  },
  {
    name: 'haproxy',
    source: 'haproxy',
    packages: ['make', 'zlib1g-dev', 'libpcre2-dev', 'curl', 'python3'],
    build: 'make -j2 TARGET=linux-glibc CC="$CC" USE_ZLIB=1 USE_PCRE2=1 USE_THREAD=1',
    // Its regression tests want vtest, which Debian does not have: its example configurations, and a proxied request.
    suite: 'sh "$REAL/haproxy-checks.sh" ./haproxy',
    count: byLine(/^ok /gm, /^not ok /gm),
  },
  {
    name: 'leveldb',
    source: 'leveldb',
    packages: ['cmake', 'ninja-build', 'googletest', 'libbenchmark-dev'],
    build: [
      'rm -rf third_party/googletest && cp -r /usr/src/googletest third_party/googletest',
      // A library of benchmarks, which Debian has built.
      'mkdir -p third_party/benchmark && echo "find_package(benchmark REQUIRED GLOBAL)\nadd_library(benchmark ' +
        'ALIAS benchmark::benchmark)" >third_party/benchmark/CMakeLists.txt',
      'cmake -S . -B out -G Ninja -DCMAKE_BUILD_TYPE=Release -DLEVELDB_BUILD_BENCHMARKS=OFF && cmake --build out -j2',
    ].join('\n'),
    // Without a test that fails once in four runs of a plain build: it takes compaction for done before it is.
    suite: 'cd out && GTEST_FILTER=-DBTest.HiddenValuesAreRemoved ctest --output-on-failure -V',
    recordedSuite: 'cd out && ctest -V -R "c_test|env_test|leveldb_tests" --timeout 900',
    count: byLine(/\[       OK \]/g, /\[  FAILED  \] \S+ \(/g),
  },
];
