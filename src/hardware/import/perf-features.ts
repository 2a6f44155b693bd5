// Stage: hardware. What perf record says of the machine, the command and the events beside its data: sections of a
// file, records of a pipe.

import type { ByteView } from './byte-view.js';
import type { EventTable } from './event-table.js';
import { Feature, MISC_BUILD_ID_SIZE } from './perf-layout.js';
import { SamplesError } from '../samples/samples-error.js';

const BUILD_ID_BYTES = 20;
const BUILD_ID_FILE = 36;

const READ: ReadonlySet<number> = new Set(Object.values(Feature));

/** Others are not looked at. */
export function isRead(feature: number): boolean {
  return READ.has(feature);
}

export class PerfFeatures {
  hostname = '';
  kernel = '';
  perfVersion = '';
  architecture = '';
  cpu = '';
  cpuId = '';
  command: string[] = [];
  /** By file. */
  readonly buildIds = new Map<string, string>();

  constructor(private readonly events: EventTable) {}

  read(feature: number, view: ByteView): void {
    switch (feature) {
      case Feature.hostname:
        return void (this.hostname = readString(view, 0).text);
      case Feature.kernel:
        return void (this.kernel = readString(view, 0).text);
      case Feature.perfVersion:
        return void (this.perfVersion = readString(view, 0).text);
      case Feature.architecture:
        return void (this.architecture = readString(view, 0).text);
      case Feature.cpu:
        return void (this.cpu = readString(view, 0).text);
      case Feature.cpuId:
        return void (this.cpuId = readString(view, 0).text);
      case Feature.command:
        return void (this.command = readStrings(view));
      case Feature.buildId:
        return this.readBuildIds(view);
      case Feature.eventDescriptions:
        return this.readEventDescriptions(view);
      case Feature.pmuMappings:
        return this.readPmuMappings(view);
      case Feature.directory:
        throw new SamplesError(
          'perf.data',
          view.offset,
          'one file',
          'a folder of them',
          'recorded with --threads; record without it',
        );
    }
  }

  /** Also the payload of a BUILD_ID record, which is one of them with its header. */
  readBuildIds(view: ByteView): void {
    for (let at = 0; at + 8 <= view.length; ) {
      const bytes = view.u16(at + 6);
      if (bytes < BUILD_ID_FILE || at + bytes > view.length)
        throw new SamplesError(
          'build ids',
          view.offset + at + 6,
          `a size of ${BUILD_ID_FILE} to ${view.length - at} bytes`,
          `${bytes}`,
        );
      const size = view.u16(at + 4) & MISC_BUILD_ID_SIZE ? Math.min(BUILD_ID_BYTES, view.u8(at + 32)) : BUILD_ID_BYTES;
      this.buildIds.set(view.text(at + BUILD_ID_FILE, bytes - BUILD_ID_FILE), view.hexadecimal(at + 12, size));
      at += bytes;
    }
  }

  private readEventDescriptions(view: ByteView): void {
    const count = view.u32(0);
    const attributeBytes = view.u32(4);
    let at = 8;
    for (let index = 0; index < count; index++) {
      at += attributeBytes;
      const ids = view.u32(at);
      const { text, next } = readString(view, at + 4);
      const first = ids > 0 ? this.events.find(view.number(next)) : undefined;
      this.events.name(first ?? this.events.events[index], text);
      at = next + 8 * ids;
    }
  }

  private readPmuMappings(view: ByteView): void {
    const count = view.u32(0);
    let at = 4;
    for (let index = 0; index < count; index++) {
      const type = view.u32(at);
      const { text, next } = readString(view, at + 4);
      this.events.namePmu(type, text);
      at = next;
    }
  }
}

function readString(view: ByteView, at: number): { text: string; next: number } {
  const bytes = view.u32(at);
  view.need(at + 4, bytes);
  return { text: view.text(at + 4, bytes), next: at + 4 + bytes };
}

function readStrings(view: ByteView): string[] {
  const count = view.u32(0);
  const strings: string[] = [];
  let at = 4;
  for (let index = 0; index < count; index++) {
    const { text, next } = readString(view, at);
    strings.push(text);
    at = next;
  }
  return strings;
}
