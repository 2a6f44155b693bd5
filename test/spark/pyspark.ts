// Stage: test. The Python that has PySpark, if there is one and Java too; scripts/setup.sh --tests installs both.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { atLength } from '../at-length.js';

/** Of a virtual machine that does little: compiling better code, or checking Spark's, takes longer than it saves. */
const BRIEF_JAVA =
  '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote';
export const ROOT = resolve(import.meta.dirname, '../..');
const ENVIRONMENT = join(ROOT, 'build/spark');
const own = join(ENVIRONMENT, 'bin/python');

const has = (program: string, ...words: string[]): boolean => spawnSync(program, words).status === 0;

function findPython(): string {
  const found = spawnSync(existsSync(own) ? own : 'python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  });
  return found.stdout?.trim() || 'python3';
}

export const python = findPython();
export const hasPython = has(python, '--version');
export const hasSpark = has('java', '-version') && has(python, '-c', 'import pyspark');
if (!hasSpark)
  console.log('Spark: skipped, as there is no PySpark or no Java (scripts/setup.sh --tests installs both)');

/** Where Python finds dprof_spark, and the machine is only this one. */
export const environment = (path = process.env.PATH): NodeJS.ProcessEnv => ({
  ...process.env,
  PYTHONPATH: join(ROOT, 'spark'),
  SPARK_LOCAL_IP: '127.0.0.1',
  SPARK_SUBMIT_OPTS: atLength(BRIEF_JAVA, ''),
  SPARK_DAEMON_JAVA_OPTS: BRIEF_JAVA,
  PATH: path,
});

/** Rows of JSON, one on a line. */
export const parseRows = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Of the JSON of Spark, which leaves out what is null. */
export const withoutNull = (rows: readonly object[]): Record<string, unknown>[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));
