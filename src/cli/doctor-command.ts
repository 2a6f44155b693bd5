// Stage: command line. `dprof doctor`: what is installed, what works here, and what to do about what does not.

import { Option, type Command } from 'commander';
import { runChecks, type Finding } from './doctor-checks.js';
import { StandardOutput } from './standard-output.js';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('say what is installed and works here, and what to do about what does not')
    .addOption(new Option('--format <format>', 'how to print it').choices(['text', 'json']).default('text'))
    .action(({ format }: { format: string }) => {
      const findings = runChecks();
      const healthy = findings.every((finding) => finding.ok || !finding.required);
      const output = new StandardOutput();
      output.write(
        format === 'json'
          ? `${JSON.stringify({ schema: 'dprof.doctor/1', healthy, findings }, null, 1)}\n`
          : renderFindings(findings, healthy),
      );
      output.flush();
      if (!healthy) process.exitCode = 1;
    });
}

function renderFindings(findings: readonly Finding[], healthy: boolean): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, ok, required, found, meaning, remedy }) => {
    const state = ok ? 'ok     ' : required ? 'MISSING' : 'missing';
    const indent = ' '.repeat(width + 11);
    const rest = remedy === null ? [] : [`${indent}${meaning}`, `${indent}→ ${remedy}`];
    return [`${state}  ${check.padEnd(width)}  ${found}`, ...rest];
  });
  return (
    `${lines.join('\n')}\n\n` +
    (healthy
      ? 'dprof can record and replay here.'
      : 'dprof can not record and replay here yet: see what is MISSING ' + 'above.') +
    `\n`
  );
}
