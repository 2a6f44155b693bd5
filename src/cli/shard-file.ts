// Stage: command line. The header of a shard's file: which shard it is, of which replay of which traces.
// docs/replay/shards.md.

import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import { readAt } from '../base/read-at.js';
import type { Shard } from '../contract/input.js';
import type { Machine } from '../contract/machine.js';
import type { ReplayRequest } from './machine-options.js';
import { contentOf, versionOfDprof } from './trace-identity.js';

const MAGIC = 'DPROFSHD';
const PREFIX_BYTES = 16;
const MOST_HEADER_BYTES = 1 << 24;

/** What was asked of the replay, beside the machine. */
export type ShardRequest = Pick<
  ReplayRequest,
  'schedule' | 'window' | 'kernelStores' | 'sharedVariables' | 'map' | 'flow'
>;

export interface ShardHeader {
  readonly shard: Shard;
  readonly dprof: string;
  readonly traces: readonly ShardTrace[];
  readonly machine: Machine;
  readonly request: ShardRequest;
}

/** A trace is the same wherever it lies. */
interface ShardTrace {
  readonly path: string;
  readonly content: string;
}

export function describeShard(
  shard: Shard,
  traces: readonly string[],
  machine: Machine,
  { schedule, window, kernelStores, sharedVariables, map, flow }: ShardRequest,
): ShardHeader {
  return {
    shard,
    dprof: versionOfDprof(),
    traces: traces.map((path) => ({ path: resolve(path), content: contentOf(path) })),
    machine,
    request: { schedule, window, kernelStores, sharedVariables, map, flow },
  };
}

export function readShardHeader(path: string): ShardHeader {
  const refuse = (what: string): never => {
    throw new DprofError(`${path}: ${what}`, 'make it anew: dprof replay TRACE --shard I/N -o PART');
  };
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw new DprofError(
      `cannot read ${path} (${(error as NodeJS.ErrnoException).code})`,
      'name the parts that dprof replay --shard wrote',
    );
  }
  try {
    const prefix = Buffer.alloc(PREFIX_BYTES);
    if (readAt(file, prefix, 0) < PREFIX_BYTES || prefix.toString('latin1', 0, MAGIC.length) !== MAGIC)
      return refuse('is no shard');
    const bytes = prefix.readUInt32LE(12);
    if (bytes > MOST_HEADER_BYTES)
      return refuse(`its header has ${bytes} bytes, and at most ${MOST_HEADER_BYTES} may be`);
    const text = Buffer.alloc(bytes);
    if (readAt(file, text, PREFIX_BYTES) < bytes) return refuse('is cut short in its header');
    const header = JSON.parse(text.toString()) as Partial<ShardHeader>;
    const { shard, traces, machine, request } = header;
    if (!Number.isInteger(shard?.index) || !Number.isInteger(shard?.count) || !Array.isArray(traces))
      return refuse('its header does not say which shard it is');
    if (typeof machine !== 'object' || typeof request !== 'object')
      return refuse('its header does not say what was asked');
    return header as ShardHeader;
  } catch (error) {
    if (error instanceof SyntaxError) return refuse('its header is no JSON');
    throw error;
  } finally {
    closeSync(file);
  }
}
