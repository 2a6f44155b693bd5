// Stage: trace -> text. A trace as it is in the file: header, modules, then each thread's steps with their slots'
// positions and raw words.

import { StepCursor } from '../order/step-cursor.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import type { Catalog } from '../contract/catalog.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { EVENT_FIELDS, hasField } from '../trace/event-table.js';
import {
  Allocator,
  EventCode,
  Lost,
  MappingKind,
  MarkKind,
  RecordFlag,
  RecordTag,
  SlotKind,
  Sync,
  Unseen,
} from '../trace/layout.js';
import type { Mapping } from '../trace/mapping-chunk.js';
import { PathTable } from '../trace/path-table.js';
import { TraceFile } from '../trace/trace-file.js';

const eventNames = nameByNumber(EventCode);
const tagNames = nameByNumber(RecordTag);
const slotNames = nameByNumber(SlotKind);
const syncNames = nameByNumber(Sync);
const allocatorNames = nameByNumber(Allocator);
const markNames = nameByNumber(MarkKind);
const flagNames = Object.entries(RecordFlag);

function nameByNumber(numbers: Readonly<Record<string, number>>): Map<number, string> {
  return new Map(
    Object.entries(numbers).map(([name, number]) => [
      number,
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    ]),
  );
}

/** Line by line. */
export function* dumpTrace(trace: OpenedTrace): Generator<string> {
  const { header, catalog } = trace;
  yield `trace version ${header.version} ("${header.versionName}"), ${header.architecture}, pid ${header.pid}, ` +
    `address randomisation ${header.aslr ? 'on' : 'off'}`;
  yield `process ${JSON.stringify(trace.process)}`;
  for (const module of trace.modules)
    yield `module ${module.path}${module.buildId === '' ? '' : ` build-id ${module.buildId}`}`;
  yield `catalog ${catalog.types.count} types, ${catalog.variables.count} variables, ` +
    `${catalog.records.count} records, ${catalog.slots.count} slots`;
  for (const { reason, count } of catalog.refusals) yield `not recorded ${count} ${reason}`;
  for (const mapping of trace.mappings) yield describeMapping(mapping);
  const paths = new PathTable(catalog);
  const file = TraceFile.open(trace.path);
  try {
    for (const [thread, chunks] of trace.threads.entries()) {
      yield `thread ${thread}: ${chunks.offset.length} chunks`;
      const cursor = new StepCursor(file, chunks, paths);
      while (cursor.next())
        yield cursor.step.isRecord ? describeRecord(catalog, cursor.step) : describeEvent(cursor.step);
    }
  } finally {
    file.close();
  }
  if (trace.damaged !== null) {
    const { chunks, chunksLeftOut, threads, bytes } = trace.damaged;
    yield `damaged ${chunks} chunks, ${chunksLeftOut} more left out, ${bytes} bytes of ${threads} threads`;
  }
  yield trace.end === null ? `truncated at offset ${trace.endOffset}` : `end ${JSON.stringify(trace.end)}`;
}

function describeMapping({ stamp, address, bytes, kind, device, inode, offset }: Mapping): string {
  const memory =
    `${kind === MappingKind.sysv ? 'segment' : 'file'} ${device >> 32n}:${device & 0xffff_ffffn} ${inode} ` +
    `from ${offset}`;
  return (
    `mapping stamp ${stamp} ${address.toString(16)} ${bytes} bytes ` +
    `${kind === MappingKind.none ? 'shared no more' : memory}`
  );
}

function describeRecord(catalog: Catalog, step: EventDecoder): string {
  const { records, slots, types, functions } = catalog;
  const { record } = step;
  const flags = flagNames.filter(([, bit]) => (records.flags[record] & bit) !== 0).map(([name]) => name);
  const words = Array.from({ length: step.words }, (_, word) => hexadecimal(step, word));
  const where = Array.from({ length: records.slotCount[record] }, (_, index) => {
    const slot = records.firstSlot[record] + index;
    const name = [types.name[slots.type[slot]], slots.path[slot]].filter(Boolean).join('.');
    return `${slotNames.get(slots.kind[slot])}${name === '' ? '' : ` ${name}`}@${slots.line[slot]}`;
  });
  const head = [tagNames.get(records.tag[record]), `#${record}`, functions.name[records.function[record]], ...flags]
    .filter(Boolean)
    .join(' ');
  const stamp =
    step.events.hasStamp && (records.flags[record] & RecordFlag.stamped) !== 0 ? ` stamp ${step.events.stamp}` : '';
  return `  ${head}: ${words.join(' ')}${stamp}${where.length === 0 ? '' : `  (${where.join(', ')})`}`;
}

function hexadecimal({ hi, lo }: EventDecoder, word: number): string {
  return hi[word] === 0 ? lo[word].toString(16) : hi[word].toString(16) + lo[word].toString(16).padStart(8, '0');
}

/** Spells what an event has besides the stamp, for events that are not spelled field by field. */
const eventFields: Readonly<Record<number, ((events: EventDecoder['events']) => string) | undefined>> = {
  [EventCode.allocate]: (events) =>
    `${block(events)}${events.pool === 0 ? '' : ` of pool ${events.pool.toString(16)}`}`,
  [EventCode.free]: block,
  [EventCode.release]: object,
  [EventCode.acquire]: object,
  [EventCode.both]: object,
  [EventCode.threadStart]: (events) => `creator ${events.creator} stack ${range(events)}`,
  [EventCode.threadEnd]: (events) => `stack ${range(events)}`,
  [EventCode.unseen]: (events) =>
    events.detail === Unseen.kernelRange ? `kernel ${range(events)}` : `${events.size} bytes`,
  [EventCode.lost]: ({ detail, number }) => (detail === Lost.chunks ? 'damaged chunks' : `${number} paths`),
  [EventCode.mark]: ({ detail, number, text }) =>
    `${markNames.get(detail) ?? detail}` +
    `${detail === MarkKind.dropped ? ` ${number} words` : ` ${JSON.stringify(text)}`}`,
};

function spellFields(events: EventDecoder['events']): string {
  return EVENT_FIELDS[events.code]!.filter((field) => field.name !== 'stamp' && hasField(field, events.detail))
    .map(({ name }) => (name === 'address' ? events.address.toString(16) : `${name} ${events[name]}`))
    .join(' ');
}

/** Only blocks of the program's own allocators name their allocator. */
function block(events: EventDecoder['events']): string {
  const { detail, address } = events;
  if (detail === Allocator.pool) return `pool ${address.toString(16)}`;
  return `${detail === Allocator.part ? `${allocatorNames.get(detail)} ` : ''}${range(events)}`;
}

function range({ address, size }: EventDecoder['events']): string {
  return `${address.toString(16)} ${size} bytes`;
}

function object({ address, detail }: EventDecoder['events']): string {
  return `${syncNames.get(detail) ?? detail} ${address.toString(16)}`;
}

function describeEvent({ events }: EventDecoder): string {
  const stamp = events.hasStamp ? ` stamp ${events.stamp}` : '';
  return `  ${eventNames.get(events.code)}${stamp} ${(eventFields[events.code] ?? spellFields)(events)}`.trimEnd();
}
