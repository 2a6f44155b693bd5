// Stage: check. How a struct is laid out, and what changed since the baseline: what a person who added a field needs to
// hear when a number grew.

import type { Profile } from '../profile/profile.js';
import { plural } from '../base/format-number.js';

export interface StructShape {
  readonly bytes: number;
  /** Offset and size in bytes, by name, in the order of the members. */
  readonly fields: Readonly<Record<string, readonly [offset: number, size: number]>>;
}

/** undefined: no struct, or one whose members are not known. */
export function shapeOf({ layouts = [] }: Profile, type: string): StructShape | undefined {
  const layout = layouts.find(({ name }) => name === type);
  if (layout === undefined) return undefined;
  const named = layout.members.filter(({ name }) => name !== '');
  return {
    bytes: layout.sizeBytes,
    fields: Object.fromEntries(named.map(({ name, offsetBytes, sizeBytes }) => [name, [offsetBytes, sizeBytes]])),
  };
}

/** "it grew from 56 to 72 bytes, 1 line to 2", "new: flags", "moved to another line: next, key". */
export function shapeChanges(before: StructShape, after: StructShape, lineBytes: number): string[] {
  const lineOf = (offset: number): number => Math.floor(offset / lineBytes);
  const linesOf = (bytes: number): number => Math.ceil(bytes / lineBytes);
  const appeared = Object.keys(after.fields).filter((name) => !Object.hasOwn(before.fields, name));
  const vanished = Object.keys(before.fields).filter((name) => !Object.hasOwn(after.fields, name));
  const both = Object.keys(after.fields).filter((name) => Object.hasOwn(before.fields, name));
  const resized = both.filter((name) => before.fields[name][1] !== after.fields[name][1]);
  const moved = both.filter((name) => lineOf(before.fields[name][0]) !== lineOf(after.fields[name][0]));
  const list = (names: readonly string[], place: (name: string) => string): string =>
    names.slice(0, MOST_NAMED).map(place).join(', ') +
    (names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '');
  const sized = (name: string): string =>
    `${name} (${plural(after.fields[name][1], 'byte')} at ${after.fields[name][0]})`;
  const [was, is] = [linesOf(before.bytes), linesOf(after.bytes)];
  const lines = was === is ? '' : `, from ${plural(was, 'line')} to ${is}`;
  return [
    ...(before.bytes === after.bytes
      ? []
      : [`${after.bytes > before.bytes ? 'grew' : 'shrank'} from ${before.bytes} to ${after.bytes} bytes${lines}`]),
    ...(appeared.length === 0 ? [] : [`new field ${list(appeared, sized)}`]),
    ...(vanished.length === 0 ? [] : [`no longer there: ${list(vanished, (name) => name)}`]),
    ...(resized.length === 0
      ? []
      : [
          `another size: ${list(resized, (name) => `${name} (${before.fields[name][1]} to ${after.fields[name][1]})`)}`,
        ]),
    ...(moved.length === 0
      ? []
      : [
          `on another line: ${list(
            moved,
            (name) =>
              `${name} (${ordinal(lineOf(before.fields[name][0]))} to ${ordinal(lineOf(after.fields[name][0]))})`,
          )}`,
        ]),
  ];
}

const MOST_NAMED = 6;

function ordinal(line: number): string {
  return `line ${line + 1}`;
}
