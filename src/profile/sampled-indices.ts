// Stage: file -> profile. What a profile says of its sampling, where anything may stand, and the columns beside its
// estimates: of the length of what they stand beside, and numbers.

import { LEVELS } from '../replay/machine.js';
import { checkBelow, checkLengths } from './profile-indices.js';
import { HEADER_BYTES, ProfileError, type Column } from './profile-format.js';
import type { Profile } from './profile.js';
import { ESTIMATES, LATENCY_NAMES, SAMPLED_COUNTERS, SAMPLED_TABLES, type SamplingFacts } from './sampled.js';

type Unchecked<Facts> = Partial<Record<keyof Facts, unknown>>;

function isNumber(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0;
}

function areTexts(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Of a profile's directory. */
export function checkSamplingFacts(facts: unknown): void {
  const { confidence, samples, untyped, lost, events, loadPeriod, storePeriod, unknown, histories, simulation, clock } =
    (isRecord(facts) ? facts : {}) as Unchecked<SamplingFacts>;
  const areEvents =
    Array.isArray(events) &&
    events.every(
      (event: unknown) =>
        isRecord(event) &&
        typeof event.name === 'string' &&
        typeof event.source === 'string' &&
        isNumber(event.samples) &&
        isNumber(event.period),
    );
  const areUnknown = isRecord(unknown) && Object.values(unknown).every((reason) => typeof reason === 'string');
  const areHistories =
    histories === null ||
    (isRecord(histories) && isNumber(histories.histories) && isNumber(histories.elements) && areTexts(histories.types));
  const isSimulation =
    simulation === null ||
    (isRecord(simulation) &&
      [simulation.seed, simulation.repetitions, simulation.objects, simulation.windowNs].every(isNumber) &&
      areTexts(simulation.withoutPaths) &&
      areTexts(simulation.withoutObjects));
  const isRight =
    [confidence, samples, untyped, lost, loadPeriod, storePeriod].every(isNumber) &&
    areEvents &&
    areUnknown &&
    areHistories &&
    isSimulation &&
    typeof clock === 'string';
  if (!isRight)
    throw new ProfileError(
      'sampling of the profile',
      HEADER_BYTES,
      'samples, events and what is unknown',
      JSON.stringify(facts)?.slice(0, 100) ?? 'nothing',
    );
}

export function checkSampled({ sampled, tallies, types, flow }: Profile): void {
  if (sampled === undefined) return;
  for (const table of SAMPLED_TABLES)
    if (sampled[table] === undefined)
      throw new ProfileError('column list', HEADER_BYTES, `columns of sampled.${table}`, 'none');
  const { extra, variance, samples, covariance } = sampled.tallies;
  const rows = tallies.type.length;
  checkLengths('sampled.tallies', rows * SAMPLED_COUNTERS.length, { extra });
  checkLengths('sampled.tallies', rows * ESTIMATES.length, { variance, samples });
  checkLengths('sampled.tallies', rows * LATENCY_NAMES.length, { covariance });
  checkLengths('sampled.lives', sampled.lives.type.length, sampled.lives);
  checkLengths('sampled.steps', flow?.steps.site.length ?? 0, sampled.steps);
  checkLengths('sampled.paths', flow?.paths.type.length ?? 0, sampled.paths);
  checkLengths('sampled.residency', sampled.residency.level.length, sampled.residency);
  for (const table of ['lives', 'residency'] as const)
    checkBelow(`sampled.${table}.type`, sampled[table].type, types.name.length);
  checkBelow('sampled.residency.level', sampled.residency.level, LEVELS.length);
  for (const table of SAMPLED_TABLES) {
    for (const [name, column] of Object.entries<Column>(sampled[table] as unknown as Record<string, Column>)) {
      const wrong = column.findIndex((value) => !isNumber(value));
      if (wrong !== -1)
        throw new ProfileError(
          `column sampled.${table}.${name}, row ${wrong},`,
          0,
          'a number from 0 on',
          `${column[wrong]}`,
        );
    }
  }
}
