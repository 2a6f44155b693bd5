// Stage: command line. Checks of the things that dprof needs and can use on this machine: each says what it found, what
// that means and what to do.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { llvmTool } from '../base/llvm-tool.js';
import { formatBytes } from '../base/format-number.js';
import { INSTALLATION, isOfAnotherProcessor, NATIVE } from './installation.js';

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** Without it dprof cannot record or replay, or an option of that fails. */
  readonly required: boolean;
  readonly found: string;
  /** The things that work because of it, or that do not work without it. */
  readonly meaning: string;
  /** The remedy; null when all is well. */
  readonly remedy: string | null;
}

const LEAST_NODE = [20, 15] as const;
const LEAST_SHM_BYTES = 256 << 20;
const SETUP = `run 'npm run setup' in ${INSTALLATION}`;

export function runChecks(): Finding[] {
  return [
    checkNode(),
    checkTool('clang', llvmTool('clang'), 'dprof-cc compiles with it', 'apt-get install clang-19'),
    checkTool(
      'linker',
      llvmTool('ld.lld'),
      'link-time optimised programs need it',
      `apt-get install ${llvmTool('ld.lld').slice(3)}`,
      false,
    ),
    checkFile('plugin', NATIVE.plugin, 'instruments what dprof-cc compiles'),
    checkFile('runtime', NATIVE.runtime, 'instrumented programs are linked with it'),
    checkFile('recorder', NATIVE.recorder, 'dprof record runs it'),
    checkFile(
      'code reader',
      NATIVE.code,
      'finds the functions of --from and --until (dprof record, dprof run) and the code of samples without types ' +
        '(dprof validate); dprof run keeps the whole trace without it',
    ),
    {
      ...checkFile('allocations', NATIVE.allocations, 'dprof what-if and advise try changes with it'),
      required: false,
    },
    ...(isOfAnotherProcessor('blocks')
      ? []
      : [
          { ...checkFile('blocks', NATIVE.blocks, 'dprof block runs it'), required: false },
          { ...checkFile('collector', NATIVE.collector, 'dprof history runs it'), required: false },
          { ...checkFile('sampler', NATIVE.sampler, 'dprof sample runs it'), required: false },
        ]),
    checkEngine(),
    checkLz4(),
    checkSharedMemory(),
    ...checkKernel(),
    ...(isOfAnotherProcessor('sampler') ? [] : [checkSampling()]),
  ];
}

function finding(check: string, ok: boolean, found: string, meaning: string, remedy: string, required = true): Finding {
  return { check, ok, required, found, meaning, remedy: ok ? null : remedy };
}

function checkNode(): Finding {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const ok = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  return finding(
    'node',
    ok,
    process.version,
    'runs replay and reports',
    `install Node ${LEAST_NODE.join('.')} or newer`,
  );
}

function checkTool(check: string, tool: string, meaning: string, remedy: string, required = true): Finding {
  try {
    const version = execFileSync(tool, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return finding(check, true, version.split('\n')[0], meaning, remedy, required);
  } catch {
    return finding(check, false, `${tool} does not run`, meaning, remedy, required);
  }
}

function checkFile(check: string, path: string, meaning: string): Finding {
  const ok = existsSync(path);
  return finding(check, ok, ok ? path : `no ${path}`, meaning, SETUP);
}

function checkEngine(): Finding {
  const meaning = 'replays with --engine native, the default; --engine ts works without it';
  try {
    createRequire(import.meta.url)(NATIVE.engine);
    return finding('engine', true, NATIVE.engine, meaning, SETUP);
  } catch (error) {
    return finding('engine', false, String((error as Error).message).split('\n')[0], meaning, SETUP);
  }
}

function checkLz4(): Finding {
  const directories = [
    '/usr/lib',
    '/usr/lib64',
    '/usr/local/lib',
    `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`,
  ];
  const path = directories.map((directory) => join(directory, 'liblz4.a')).find((candidate) => existsSync(candidate));
  // Without it the build fails; what is built already runs on.
  return finding(
    'liblz4',
    path !== undefined,
    path ?? 'no liblz4.a',
    'linked into the recorder and the engine when they are built',
    'apt-get install liblz4-dev',
    false,
  );
}

function checkSharedMemory(): Finding {
  const meaning = 'programs hand their events to the recorder through it';
  try {
    rmSync(mkdtempSync('/dev/shm/dprof-doctor-'), { recursive: true });
  } catch (error) {
    return finding(
      '/dev/shm',
      false,
      `not writable (${(error as NodeJS.ErrnoException).code})`,
      meaning,
      'mount a tmpfs there: mount -t tmpfs tmpfs /dev/shm',
    );
  }
  const { bavail, bsize } = statfsSync('/dev/shm');
  const free = bavail * bsize;
  return finding(
    '/dev/shm',
    free >= LEAST_SHM_BYTES,
    `writable, ${formatBytes(free)} free`,
    meaning,
    'enlarge it: mount -o remount,size=1G /dev/shm (docker: --shm-size=1g)',
  );
}

interface KernelAnswers {
  readonly breakpoint: boolean;
  readonly breakpointError?: string;
  readonly cycles: boolean;
  readonly cyclesError?: string;
  readonly noRandomise: boolean;
  readonly noRandomiseError?: string;
}

function checkKernel(): Finding[] {
  let answers: KernelAnswers;
  try {
    answers = JSON.parse(
      execFileSync(NATIVE.probe, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ) as KernelAnswers;
  } catch {
    return [
      {
        ...checkFile('kernel probe', NATIVE.probe, 'asks the kernel about addresses, debug registers and the PMU'),
        required: false,
      },
    ];
  }
  const paranoid = readSetting('/proc/sys/kernel/perf_event_paranoid');
  const describe = (works: boolean, error?: string): string =>
    works ? 'works' : `refused${error === undefined ? '' : ` (${error})`}, perf_event_paranoid ${paranoid}`;
  const remedyFor = (error?: string): string =>
    error === 'EACCES' || error === 'EPERM'
      ? 'sysctl kernel.perf_event_paranoid=1; in a container also --cap-add PERFMON'
      : 'nothing to do: this kernel or virtual machine offers none';
  return [
    finding(
      'fixed addresses',
      answers.noRandomise,
      answers.noRandomise
        ? 'address randomisation can be switched off'
        : `address randomisation stays on (${answers.noRandomiseError})`,
      'two recordings of one program have equal addresses, so that their conflict misses can be compared',
      'allow personality(2), in docker: --security-opt seccomp=unconfined; or compare reports with "aslr: on" only',
      false,
    ),
    finding(
      'debug registers',
      answers.breakpoint,
      describe(answers.breakpoint, answers.breakpointError),
      'dprof history watches objects with them; recording and replay do not need them',
      remedyFor(answers.breakpointError),
      false,
    ),
    finding(
      'PMU',
      answers.cycles,
      describe(answers.cycles, answers.cyclesError),
      'only hardware sampling uses it; most cloud machines have none, and dprof needs none',
      remedyFor(answers.cyclesError),
      false,
    ),
  ];
}

/** Which of PEBS, IBS and SPE this machine has, and may be used: the sampler's own answer. */
function checkSampling(): Finding {
  const meaning =
    'dprof sample takes loads and stores with it; what was sampled elsewhere can be imported, and dprof ' +
    'history needs none';
  const { status, stdout, error } = spawnSync(NATIVE.sampler, ['--which'], { encoding: 'utf8' });
  if (error !== undefined || (status !== 0 && stdout === ''))
    return finding('samples of memory', false, 'the sampler does not run', meaning, SETUP, false);
  const [found, hint = ''] = stdout.trimEnd().split('\n');
  return finding('samples of memory', status === 0, found, meaning, hint, false);
}

function readSetting(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
