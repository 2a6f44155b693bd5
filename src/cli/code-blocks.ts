// Stage: command line. The machine code of an ELF file's functions that have probes, as dprof-code reads it.

import { spawnSync } from 'node:child_process';
import { DprofError } from '../base/dprof-error.js';
import type { CodeFunction } from '../blocks/machine-code.js';
import { requireNative } from './installation.js';

const MOST_OUTPUT = 1 << 30;

/** undefined: the file is no ELF file of x86-64, or is not there; empty: nothing in it has probes. */
export function readCode(path: string): CodeFunction[] | undefined {
  const { status, stdout, stderr, error } = spawnSync(requireNative('code'), {
    input: `blocks ${path}\n`,
    encoding: 'utf8',
    maxBuffer: MOST_OUTPUT,
  });
  if (error !== undefined || status !== 0)
    throw new DprofError(`dprof-code failed: ${error?.message ?? stderr.split('\n')[0]}`, 'name the program itself');
  const [{ problem }, ...functions] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (problem !== '') return undefined;
  return functions.slice(0, -1).map(functionOf);
}

type BlockRow = readonly [
  ...code: readonly [address: number, code: string, stretches: readonly string[], instructions: number],
  ...ways: readonly [next: readonly number[], leaves: boolean, isJump: boolean, otherBody: number],
  ...flags: readonly [logs: boolean, returns: boolean, callsLast: boolean, endsInCall: boolean],
];
type ProbeRow = readonly [number, string, number];
interface FunctionRow {
  readonly name: string;
  readonly address: number;
  readonly offset: number;
  readonly blocks: readonly BlockRow[];
  readonly probes: readonly ProbeRow[];
  readonly targets: readonly number[];
}

function functionOf({ blocks, probes, ...rest }: FunctionRow): CodeFunction {
  return {
    ...rest,
    blocks: blocks.map(
      ([
        address,
        code,
        stretches,
        instructions,
        next,
        leaves,
        isJump,
        otherBody,
        logs,
        returns,
        callsLast,
        endsInCall,
      ]) => ({
        address,
        code,
        stretches,
        instructions,
        next,
        leaves,
        isJump,
        otherBody,
        logs,
        returns,
        callsLast,
        endsInCall,
      }),
    ),
    probes: probes.map(([address, unit, record]) => ({ address, unit, record })),
  };
}
