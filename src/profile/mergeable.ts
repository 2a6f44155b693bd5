// Stage: profile. Whether profiles can be added: numbers of two machines, or of two orders, have no sum that means
// anything.

import { DprofError } from '../base/dprof-error.js';
import type { Machine } from '../contract/machine.js';
import type { Profile } from './profile.js';

export function requireAlike(named: readonly NamedProfile[]): void {
  const [first, ...others] = named;
  const sampled = named.find(({ profile }) => profile.sampled !== undefined);
  if (sampled !== undefined)
    throw new DprofError(
      `${sampled.name} is a profile from samples, and its intervals cannot be added`,
      'put the samples together instead: dprof replay A.dpsamples B.dpsamples -o BOTH.dprofile',
    );
  for (const other of others) {
    const refuse = (what: string, of: (profile: Profile) => string, hint: string): never => {
      throw new DprofError(
        `${first.name} and ${other.name} cannot be merged: ${what} ${of(first.profile)} and ${of(other.profile)}`,
        hint,
      );
    };
    const [differing] = differingFields(first.profile.machine, other.profile.machine);
    if (differing !== undefined) {
      const { field } = differing;
      const hint =
        field === 'cores'
          ? 'a machine has as many cores as the trace has threads, unless it says: replay each with the same --cores'
          : 'replay each trace with the same machine: --machine and its flags';
      refuse(
        `their machines differ in ${field},`,
        ({ machine }) => (machine === first.profile.machine ? differing.first : differing.second),
        hint,
      );
    }
    if (first.profile.schedule !== other.profile.schedule)
      refuse(
        'they were replayed under the schedules',
        ({ schedule }) => schedule,
        'replay each trace with the same --schedule',
      );
    const map = ({ cpus }: Profile): string => (cpus === undefined ? 'thread' : 'cpu');
    if (map(first.profile) !== map(other.profile))
      refuse('their threads were placed with --map', map, 'replay each trace with the same --map');
    const schedules = ({ schedules: table }: Profile): string => table?.schedules.join(',') ?? 'one schedule';
    if (schedules(first.profile) !== schedules(other.profile))
      refuse('they were replayed under', schedules, 'replay each trace with the same --schedules');
    const flow = ({ flow: own }: Profile): string => (own === undefined ? 'without' : `by ${own.by}`);
    if (flow(first.profile) !== flow(other.profile))
      refuse('paths: they were replayed', flow, 'replay each trace with the same --path-by, or each with --no-flow');
    const shared = ({ sharedVariables }: Profile): string => (sharedVariables === undefined ? 'without' : 'with');
    if (shared(first.profile) !== shared(other.profile))
      refuse('shared variables: they were replayed', shared, 'replay each trace with --shared-variables, or none');
    const locks = ({ locks: table }: Profile): string => (table === undefined ? 'without' : 'with');
    if (locks(first.profile) !== locks(other.profile))
      refuse('locks: they were replayed by a dprof', locks, 'replay each trace with this dprof');
    const kernel = ({ run }: Profile): string => (run.kernelStores === true ? 'with' : 'without');
    if (kernel(first.profile) !== kernel(other.profile))
      refuse("the kernel's stores: they were replayed", kernel, 'replay each trace with --kernel-stores, or none');
  }
}

export interface DifferingField {
  /** "l1.ways". */
  readonly field: string;
  readonly first: string;
  readonly second: string;
}

/** All of them; a machine's name says nothing about a number. */
export function differingFields(a: Machine, b: Machine): DifferingField[] {
  const [left, right] = [fieldsOf(a), fieldsOf(b)];
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (field) => field !== 'name' && left[field] !== right[field],
  );
  return names.map((field) => ({ field, first: spell(left[field]), second: spell(right[field]) }));
}

/** "l1.ways" to 8: nested fields by their path, whatever their order. */
function fieldsOf(value: object, prefix = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
      if (Array.isArray(field)) return [[prefix + name, field.join(' and ') || 'none']];
      return field !== null && typeof field === 'object'
        ? Object.entries(fieldsOf(field, `${prefix}${name}.`))
        : [[prefix + name, field]];
    }),
  );
}

function spell(value: unknown): string {
  return value === undefined ? 'none' : String(value);
}

export interface NamedProfile {
  /** What errors call it: the file. */
  readonly name: string;
  readonly profile: Profile;
}
