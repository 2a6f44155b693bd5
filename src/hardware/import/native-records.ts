// Stage: hardware. The native decoder of what processors write (runtime/hardware/records), which the sampler links too:
// how its functions look from here.

import { createRequire } from 'node:module';
import { DprofError } from '../../base/dprof-error.js';
import { locateNative } from '../../base/native-build.js';

/** Loads and stores alone, in the order of the buffer. */
export interface SpeColumns {
  readonly ip: BigUint64Array;
  readonly address: BigUint64Array;
  readonly physicalAddress: BigUint64Array;
  /** The processor's counter. */
  readonly timestamp: BigUint64Array;
  readonly dataSource: BigUint64Array;
  readonly latency: Uint32Array;
  /** That the record itself names; -1: none. */
  readonly thread: Float64Array;
  /** Records of branches and other operations, which touch no memory. */
  readonly others: number;
  readonly badBytes: number;
  readonly cutRecords: number;
}

interface RecordsAddon {
  /** The function reads so many bytes of `raw`, fills `answer`, and says whether the record is valid. */
  openIbs(family: number, model: number, raw: Uint8Array, answer: Uint8Array): (bytes: number) => boolean;
  /** `cpuId` says whether the core numbers its sources as Arm's own do. */
  readSpe(bytes: Uint8Array, cpuId: string): SpeColumns;
}

const ADDON = 'lib/dprof_records.node';
let loaded: RecordsAddon | undefined;

export function nativeRecords(): RecordsAddon {
  if (loaded !== undefined) return loaded;
  const path = locateNative(ADDON);
  try {
    return (loaded = createRequire(import.meta.url)(path) as RecordsAddon);
  } catch (error) {
    throw new DprofError(`can not load ${path}: ${(error as Error).message}`, 'npm run build makes it');
  }
}
