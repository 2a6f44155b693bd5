// Stage: hardware. A sample record to a row. Fields stand one behind the other in the order of the kernel's
// perf_event.h, those that the event asked for.

import type { EventTable, PerfEvent } from './event-table.js';
import { IbsOp, type AmdModel } from './ibs-op.js';
import { BRANCH_COUNTERS, BRANCH_HARDWARE_INDEX, ReadFormat, SampleField } from './perf-layout.js';
import { RECORD_HEADER_BYTES, type RecordPlace } from './record-stream.js';
import type { SampleRows } from './sample-rows.js';
import { NOWHERE } from '../samples/samples.js';
import { SamplesError } from '../samples/samples-error.js';

export class SampleDecoder {
  private ibs: IbsOp | undefined;

  constructor(
    private readonly events: EventTable,
    private readonly rows: SampleRows,
    private readonly isLittle: boolean,
    private readonly cpu: AmdModel,
  ) {}

  /** The event that took the sample; undefined: no known one. */
  identify({ view, at, end, offset }: RecordPlace): PerfEvent | undefined {
    const { first, events } = this.events;
    if (first === undefined || events.length === 1) return first;
    const { fields } = first.attributes;
    let place = at + RECORD_HEADER_BYTES;
    if ((fields & SampleField.identifier) === 0) {
      if ((fields & SampleField.id) === 0) return first;
      for (const bit of [SampleField.ip, SampleField.tid, SampleField.time, SampleField.address])
        if (fields & bit) place += 8;
    }
    if (place + 8 > end) throw short(offset, place - at, end - at);
    const { isLittle } = this;
    return this.events.find(
      view.getUint32(isLittle ? place : place + 4, isLittle) +
        view.getUint32(isLittle ? place + 4 : place, isLittle) * 0x1_0000_0000,
    );
  }

  /** Fills the next row; the caller ends it. */
  decode(record: RecordPlace, event: PerfEvent): void {
    const { view, offset, end } = record;
    const { isLittle, rows } = this;
    const { fields } = event.attributes;
    const low = isLittle ? 0 : 4;
    const high = 4 - low;
    const row = rows.begin();
    const { columns, words } = rows;
    let at = record.at + RECORD_HEADER_BYTES;
    const fixed = (fields & SampleField.identifier ? 8 : 0) + 8 * FIXED_COUNT[fields & FIXED_MASK];
    if (at + fixed > end) throw short(offset, RECORD_HEADER_BYTES + fixed, end - record.at);

    if (fields & SampleField.identifier) at += 8;
    if (fields & SampleField.ip) {
      words.ip[2 * row] = view.getUint32(at + low, isLittle);
      words.ip[2 * row + 1] = view.getUint32(at + high, isLittle);
      at += 8;
    }
    if (fields & SampleField.tid) {
      columns.pid[row] = view.getUint32(at, isLittle);
      columns.tid[row] = view.getUint32(at + 4, isLittle);
      at += 8;
    } else columns.pid[row] = columns.tid[row] = NOWHERE;
    if (fields & SampleField.time) {
      words.time[2 * row] = view.getUint32(at + low, isLittle);
      words.time[2 * row + 1] = view.getUint32(at + high, isLittle);
      at += 8;
    }
    if (fields & SampleField.address) {
      words.address[2 * row] = view.getUint32(at + low, isLittle);
      words.address[2 * row + 1] = view.getUint32(at + high, isLittle);
      at += 8;
    }
    if (fields & SampleField.id) at += 8;
    if (fields & SampleField.streamId) at += 8;
    if (fields & SampleField.cpu) {
      columns.cpu[row] = view.getUint32(at, isLittle);
      at += 8;
    } else columns.cpu[row] = NOWHERE;
    if (fields & SampleField.period) {
      words.period[2 * row] = view.getUint32(at + low, isLittle);
      words.period[2 * row + 1] = view.getUint32(at + high, isLittle);
      at += 8;
    } else if (!event.attributes.isFrequency) {
      words.period[2 * row] = Number(event.attributes.period & 0xffff_ffffn);
      words.period[2 * row + 1] = Number(event.attributes.period >> 32n);
    }
    columns.event[row] = event.index;
    columns.misc[row] = record.misc;
    if ((fields & ~SIMPLE) !== 0) this.decodeRest(record, event, row, at);
    event.samples++;
  }

  /** Fields of any length, and those behind them. */
  private decodeRest(record: RecordPlace, event: PerfEvent, row: number, begin: number): void {
    const { view, offset, end } = record;
    const { isLittle, rows } = this;
    const { columns, words } = rows;
    const { attributes } = event;
    const { fields } = attributes;
    const low = isLittle ? 0 : 4;
    const high = 4 - low;
    let at = begin;
    const need = (bytes: number): void => {
      if (at + bytes > end) throw short(offset, at + bytes - record.at, end - record.at);
    };
    const count = (): number => {
      need(8);
      at += 8;
      return view.getUint32(at - 8 + low, isLittle) + view.getUint32(at - 8 + high, isLittle) * 0x1_0000_0000;
    };
    const pass = (bytes: number): void => {
      need(bytes);
      at += bytes;
    };
    const word = (column: Uint32Array): void => {
      need(8);
      column[2 * row] = view.getUint32(at + low, isLittle);
      column[2 * row + 1] = view.getUint32(at + high, isLittle);
      at += 8;
    };

    if (fields & SampleField.read) {
      const { readFormat } = attributes;
      const times = (readFormat & ReadFormat.timeEnabled ? 8 : 0) + (readFormat & ReadFormat.timeRunning ? 8 : 0);
      const each = 8 + (readFormat & ReadFormat.id ? 8 : 0) + (readFormat & ReadFormat.lost ? 8 : 0);
      if (readFormat & ReadFormat.group) pass(count() * each + times);
      else pass(each + times);
    }
    if (fields & SampleField.callchain) pass(count() * 8);
    let raw = 0;
    let rawBytes = 0;
    if (fields & SampleField.raw) {
      need(4);
      rawBytes = view.getUint32(at, isLittle);
      raw = at + 4;
      pass(4 + rawBytes);
    }
    if (fields & SampleField.branchStack) {
      const branches = count();
      pass(
        (attributes.branchType & BRANCH_HARDWARE_INDEX ? 8 : 0) +
          branches * (attributes.branchType & BRANCH_COUNTERS ? 32 : 24),
      );
    }
    if (fields & SampleField.userRegisters && count() !== 0) pass(8 * attributes.userRegisters);
    if (fields & SampleField.userStack) {
      const bytes = count();
      if (bytes > 0) pass(bytes + 8);
    }
    if (fields & SampleField.weight) word(words.weight);
    else if (fields & SampleField.weightStruct) {
      need(8);
      words.weight[2 * row] = view.getUint32(at + low, isLittle);
      words.weight[2 * row + 1] = 0;
      const others = view.getUint32(at + high, isLittle);
      columns.instructionLatency[row] = others & 0xffff;
      columns.retireLatency[row] = others >>> 16;
      at += 8;
    }
    if (fields & SampleField.dataSource) word(words.dataSource);
    if (fields & SampleField.transaction) pass(8);
    if (fields & SampleField.interruptRegisters && count() !== 0) pass(8 * attributes.interruptRegisters);
    if (fields & SampleField.physicalAddress) word(words.physicalAddress);
    if (fields & SampleField.cgroup) pass(8);
    if (fields & SampleField.dataPageSize) word(words.dataPageSize);
    if (rawBytes > 0 && event.source === 'ibs') this.takeIbs(record.bytes.subarray(raw, raw + rawBytes), fields, row);
  }

  /** Fills in the fields that the kernel did not derive itself. */
  private takeIbs(raw: Uint8Array, fields: number, row: number): void {
    this.ibs ??= new IbsOp(this.cpu);
    const { ibs, rows } = this;
    const { columns, words } = rows;
    if (!ibs.read(raw)) return;
    columns.sizeBytes[row] = ibs.sizeBytes;
    if (ibs.hasAddress && words.address[2 * row] === 0 && words.address[2 * row + 1] === 0)
      ibs.store('address', words.address, row);
    if (ibs.hasPhysicalAddress && (fields & SampleField.physicalAddress) === 0)
      ibs.store('physicalAddress', words.physicalAddress, row);
    if ((fields & (SampleField.weight | SampleField.weightStruct)) === 0) {
      words.weight[2 * row] = ibs.missLatency;
      words.weight[2 * row + 1] = 0;
      columns.instructionLatency[row] = ibs.retireLatency;
    }
    if ((fields & SampleField.dataSource) === 0) ibs.store('dataSource', words.dataSource, row);
  }
}

const FIXED_MASK = 0x3cf;
/** Words of ip, tid, time, address, id, cpu, period, stream id: by their bits. */
const FIXED_COUNT = Uint8Array.from({ length: FIXED_MASK + 1 }, (_, bits) => {
  let count = 0;
  for (let rest = bits & FIXED_MASK; rest > 0; rest &= rest - 1) count++;
  return count;
});
const SIMPLE = FIXED_MASK | SampleField.identifier;

function short(offset: number, needed: number, found: number): SamplesError {
  return new SamplesError('sample', offset, `at least ${needed} bytes`, `${found}`);
}
