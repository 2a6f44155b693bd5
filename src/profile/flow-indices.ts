// Stage: file -> profile. Every index of a profile's flow points into its table, and its columns fit one another.

import { MOST_STEPS, PATH_ENDS } from '../replay/flow-result.js';
import { LEVELS, SERVERS, type Machine } from '../replay/machine.js';
import { PATHS_BY } from '../replay/places.js';
import { setBinsOf } from '../replay/result.js';
import type { Flow, FlowFacts } from './flow.js';
import { checkBelow, checkBins, checkLengths, type NamedRows } from './profile-indices.js';
import { HEADER_BYTES, ProfileError } from './profile-format.js';
import { OBJECT_KINDS } from './profile.js';

/** Of a profile's directory, where anything may stand. */
export function checkFlowFacts(facts: unknown): void {
  const { by, mostPaths } = (facts ?? {}) as Partial<Record<keyof FlowFacts, unknown>>;
  if ((PATHS_BY as readonly unknown[]).includes(by) && Number.isSafeInteger(mostPaths) && (mostPaths as number) >= 0)
    return;
  throw new ProfileError(
    'flow of the profile',
    HEADER_BYTES,
    `paths by ${PATHS_BY.join(', ')} and how many`,
    JSON.stringify(facts).slice(0, 100),
  );
}

export function checkFlow(
  { paths, steps, otherPaths, residency, objectBins, missBins, sets }: Flow,
  { types, sites, strings }: NamedRows,
  machine: Machine,
): void {
  checkLengths('flow.paths', paths.type.length, paths);
  checkBelow('flow.paths.kind', paths.kind, OBJECT_KINDS.length);
  checkBelow('flow.paths.type', paths.type, types);
  checkBelow('flow.paths.variable', paths.variable, strings, true);
  checkBelow('flow.paths.site', paths.site, sites);
  checkBelow('flow.paths.end', paths.end, PATH_ENDS.length);
  checkBelow('flow.paths.freeSite', paths.freeSite, sites);

  // Behind the last step all that was cut is one more.
  checkBelow('flow.paths.steps', paths.steps, MOST_STEPS + 2);
  const { served, ...stepColumns } = steps;
  const rows = paths.steps.reduce((total, count) => total + count, 0);
  checkLengths('flow.steps', rows, stepColumns);
  checkLengths('flow.steps', rows * SERVERS.length, { served });
  checkBelow('flow.steps.site', steps.site, sites, true);
  checkBelow('flow.steps.changesCore', steps.changesCore, 2);

  checkLengths('flow.otherPaths', otherPaths.type.length, otherPaths);
  checkBelow('flow.otherPaths.type', otherPaths.type, types);
  for (const [name, table] of Object.entries({ residency, objectBins, missBins })) {
    checkLengths(`flow.${name}`, table.type.length, table);
    checkBelow(`flow.${name}.level`, table.level, LEVELS.length);
    checkBelow(`flow.${name}.type`, table.type, types);
  }
  checkBins('flow.objectBins', objectBins, machine);
  checkBins('flow.missBins', missBins, machine);
  checkLengths(
    'flow.sets',
    LEVELS.reduce((total, level) => total + setBinsOf(machine[level], machine.lineBytes).sets, 0),
    sets,
  );
}
