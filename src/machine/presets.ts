// Stage: command line -> replay. Machines that dprof knows by name, and where their numbers come from; docs/machines.md
// has the same in prose.

import { ZEN2, ZEN3, ZEN4 } from './amd-presets.js';
import { GRAVITON3 } from './arm-presets.js';
import { ICE_LAKE_SP, SAPPHIRE_RAPIDS, SKYLAKE_SP } from './intel-presets.js';
import { DEFAULT_MACHINE, type MachineDescription } from './machine-description.js';
import { readHostMachine } from './read-host-machine.js';

/** Four four-core Opterons, as in the DProf paper; the paper gives 200-300 cycles for what leaves the chip. */
const PAPER_MACHINE: MachineDescription = {
  name: 'paper',
  cores: 16,
  coresPerLlc: 4,
  lineBytes: 64,
  l1: { sizeBytes: 64 << 10, ways: 2, latencyCycles: 3 },
  l2: { sizeBytes: 512 << 10, ways: 16, latencyCycles: 14 },
  llc: { sizeBytes: 2 << 20, ways: 32, latencyCycles: 50 },
  memoryLatencyCycles: 250,
  cacheToCacheLatencyCycles: 200,
};

export interface Preset {
  readonly describe: () => MachineDescription;
  /** Document and section, in one line. */
  readonly source: string;
}

const INTEL = 'Intel 64 and IA-32 Architectures Optimization Reference Manual';
const AMD = 'AMD Software Optimization Guide';

export const PRESETS: Readonly<Record<string, Preset>> = {
  default: { describe: () => DEFAULT_MACHINE, source: 'no real machine: round numbers, nothing but plain caches' },
  paper: { describe: () => PAPER_MACHINE, source: 'Pesterev, Zeldovich, Morris: DProf (EuroSys 2010), four Opterons' },
  'skylake-sp': { describe: () => SKYLAKE_SP, source: `${INTEL}, Skylake Server (Xeon Platinum 8180)` },
  'ice-lake-sp': { describe: () => ICE_LAKE_SP, source: `${INTEL}, Ice Lake (Xeon Platinum 8380)` },
  'sapphire-rapids': { describe: () => SAPPHIRE_RAPIDS, source: `${INTEL}, Golden Cove (Xeon Platinum 8480+)` },
  zen2: { describe: () => ZEN2, source: `${AMD} for Family 17h Models 30h (EPYC 7742)` },
  zen3: { describe: () => ZEN3, source: `${AMD} for Family 19h (EPYC 7763)` },
  zen4: { describe: () => ZEN4, source: `${AMD} for the Zen4 Microarchitecture (EPYC 9554)` },
  graviton3: { describe: () => GRAVITON3, source: 'Arm Neoverse V1 Core Technical Reference Manual; CMN-650' },
  host: { describe: () => readHostMachine(), source: 'this machine, as /sys/devices/system/cpu describes it' },
};
