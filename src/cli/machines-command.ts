// Stage: command line. `dprof machines`: the presets with their sources; one machine as a file that can be edited; the
// schema of such files.

import { isatty } from 'node:tty';
import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import type { MachineDescription } from '../machine/machine-description.js';
import { machineSchema } from '../machine/machine-schema.js';
import { machineText } from '../machine/machine-text.js';
import { describeMachineOf } from '../machine/parse-machine.js';
import { PRESETS } from '../machine/presets.js';
import { spellSize } from '../machine/sizes.js';
import { MACHINE_DEFAULTS } from '../contract/complete-machine.js';
import { LEVELS } from '../contract/machine.js';
import { renderTable, type TextColumn } from '../report/text-table.js';
import { chooseStyle } from '../report/text-style.js';
import { StandardOutput } from './standard-output.js';

export function addMachinesCommand(program: Command): void {
  program
    .command('machines')
    .description('list the machines that can be simulated, or print one as a file for --machine')
    .argument('[machine]', 'preset or machine file to print')
    .option('--schema', 'print the JSON Schema of machine files')
    .action((machine: string | undefined, { schema = false }: { schema?: boolean }) => {
      if (schema && machine !== undefined)
        throw new DprofError(`--schema does nothing for ${machine}`, 'give a machine or --schema', 2);
      const output = new StandardOutput();
      if (schema) output.write(`${JSON.stringify(machineSchema(), null, 1)}\n`);
      else if (machine !== undefined) output.write(machineText(describeMachineOf(machine)));
      else output.write(listPresets(chooseStyle(isatty(1) ? process.stdout : {}, process.env).width));
      output.flush();
    });
}

const columns: readonly TextColumn[] = [
  { heading: 'machine', align: 'left' },
  { heading: 'L1', align: 'left' },
  { heading: 'L2', align: 'left' },
  { heading: 'LLC', align: 'left' },
  { heading: 'cores per socket', brief: 'socket', align: 'right', expendable: 1 },
  { heading: 'protocol', align: 'left', expendable: 2 },
];

function listPresets(width: number): string {
  const rows = Object.entries(PRESETS).map(([name, { describe }]) => [name, ...rowOf(describe)]);
  const sources = Object.entries(PRESETS).map(([name, { source }]) => `  ${name.padEnd(16)} ${source}`);
  return (
    `${renderTable(columns, rows, width)}\n\nsources (docs/machines.md says which number is from where, and ` +
    `which are assumed)\n${sources.join('\n')}\n\n'dprof machines NAME > my.json' writes a machine that can be ` +
    `edited and given back: --machine my.json\n`
  );
}

/** The host may not say what it is; the others are listed all the same. */
function rowOf(describe: () => MachineDescription): string[] {
  let machine: MachineDescription;
  try {
    machine = describe();
  } catch (error) {
    if (error instanceof DprofError) return [error.message];
    throw error;
  }
  const levels = LEVELS.map((level) => `${spellSize(machine[level].sizeBytes)}/${machine[level].ways}`);
  const { coresPerLlc, coresPerSocket, protocol = MACHINE_DEFAULTS.protocol } = machine;
  const perLlc = coresPerLlc === undefined ? '' : ` per ${coresPerLlc}`;
  return [
    levels[0],
    levels[1],
    `${levels[2]}${perLlc}`,
    coresPerSocket === undefined ? '' : String(coresPerSocket),
    protocol,
  ];
}
