// Stage: test. Constructed recordings: the bytes of a perf.data as perf would have written them, of either byte order,
// to a file or to a pipe. The mirror of src/hardware/import/perf-reader.ts; what it writes is read by `perf script` too
// (perf-script.test.ts).

import { RecordType, SampleField } from '../../src/hardware/import/perf-layout.js';
import { ByteBuilder } from './byte-builder.js';

const ATTRIBUTE_BYTES = 128;
const FILE_HEADER_BYTES = 104;
const FLAG = { frequency: 10, preciseIp: 15, sampleIdAll: 18, useClock: 25 };
const USER = 2;

export interface EventOptions {
  readonly name: string;
  readonly type: number;
  readonly config?: bigint;
  readonly config1?: bigint;
  readonly config2?: bigint;
  readonly period?: bigint;
  /** Of SampleField. */
  readonly fields: number;
  readonly readFormat?: number;
  readonly preciseIp?: number;
  readonly branchType?: bigint;
  readonly userRegisters?: bigint;
  readonly interruptRegisters?: bigint;
  readonly ids: readonly bigint[];
}

/** The values of a sample; those that are left out are 0. */
export interface SampleValues {
  readonly id?: bigint;
  readonly ip?: bigint;
  readonly pid?: number;
  readonly tid?: number;
  readonly time?: bigint;
  readonly address?: bigint;
  readonly cpu?: number;
  readonly period?: bigint;
  readonly callchain?: readonly bigint[];
  readonly raw?: Uint8Array;
  readonly branches?: number;
  readonly weight?: bigint;
  readonly dataSource?: bigint;
  readonly physicalAddress?: bigint;
  readonly dataPageSize?: bigint;
}

export interface WriterOptions {
  readonly isLittle?: boolean;
  readonly isPipe?: boolean;
  readonly architecture?: string;
  readonly cpuId?: string;
  readonly pmus?: Readonly<Record<string, number>>;
  readonly buildIds?: Readonly<Record<string, string>>;
  readonly hostname?: string;
  readonly command?: readonly string[];
}

export class PerfDataWriter {
  private readonly isLittle: boolean;
  private readonly records: ByteBuilder;
  private readonly events: EventOptions[] = [];
  private compressing: { plain: ByteBuilder; hasBegun: boolean } | undefined;
  private isCompressed = false;
  private readonly counts = new Map<bigint, bigint>();

  constructor(private readonly options: WriterOptions = {}) {
    this.isLittle = options.isLittle ?? true;
    this.records = this.builder();
  }

  builder(): ByteBuilder {
    return new ByteBuilder(this.isLittle);
  }

  /** Its index. Events come before all records. */
  event(event: EventOptions): number {
    return this.events.push(event) - 1;
  }

  record(type: number, misc: number, payload: Buffer): void {
    const target = this.compressing?.plain ?? this.records;
    target
      .u32(type)
      .u16(misc)
      .u16(payload.length + 8)
      .bytes(payload);
  }

  comm(pid: number, tid: number, name: string, time: bigint, misc = 0): void {
    this.record(RecordType.comm, misc, this.withTrailer(this.builder().u32(pid).u32(tid).text(name), pid, tid, time));
  }

  mmap2(pid: number, start: bigint, bytes: bigint, fileOffset: bigint, file: string, time: bigint, misc = USER): void {
    const builder = this.builder()
      .u32(pid)
      .u32(pid)
      .u64(start)
      .u64(bytes)
      .u64(fileOffset)
      .u32(8)
      .u32(1)
      .u64(4711)
      .u64(0)
      .u32(5)
      .u32(2)
      .text(file);
    this.record(RecordType.mmap2, misc, this.withTrailer(builder, pid, pid, time));
  }

  /** With the build id in the place of device and inode. */
  mmap2WithBuildId(pid: number, start: bigint, bytes: bigint, file: string, buildId: string, time: bigint): void {
    const id = Buffer.alloc(20);
    Buffer.from(buildId, 'hex').copy(id);
    const builder = this.builder()
      .u32(pid)
      .u32(pid)
      .u64(start)
      .u64(bytes)
      .u64(0)
      .u8(buildId.length / 2)
      .u8(0)
      .u16(0)
      .bytes(id)
      .u32(5)
      .u32(2)
      .text(file);
    this.record(RecordType.mmap2, USER | (1 << 14), this.withTrailer(builder, pid, pid, time));
  }

  mmap(pid: number, start: bigint, bytes: bigint, fileOffset: bigint, file: string, time: bigint): void {
    this.record(
      RecordType.mmap,
      USER,
      this.withTrailer(
        this.builder().u32(pid).u32(pid).u64(start).u64(bytes).u64(fileOffset).text(file),
        pid,
        pid,
        time,
      ),
    );
  }

  change(kind: 'fork' | 'exit', pid: number, tid: number, parentPid: number, parentTid: number, time: bigint): void {
    this.record(
      RecordType[kind],
      0,
      this.withTrailer(this.builder().u32(pid).u32(parentPid).u32(tid).u32(parentTid).u64(time), pid, tid, time),
    );
  }

  lost(id: bigint, count: bigint, time: bigint): void {
    this.record(RecordType.lost, 0, this.withTrailer(this.builder().u64(id).u64(count), 0, 0, time));
  }

  lostSamples(count: bigint, time: bigint): void {
    this.record(RecordType.lostSamples, 0, this.withTrailer(this.builder().u64(count), 0, 0, time));
  }

  finishRound(): void {
    this.record(RecordType.finishedRound, 0, Buffer.alloc(0));
  }

  sample(event: number, values: SampleValues, misc = USER | (1 << 14)): void {
    const { fields, ids, period, branchType = 0n, userRegisters = 0n, interruptRegisters = 0n } = this.events[event];
    const id = values.id ?? ids[0];
    const builder = this.builder();
    const has = (bit: number): boolean => (fields & bit) !== 0;
    if (has(SampleField.identifier)) builder.u64(id);
    if (has(SampleField.ip)) builder.u64(values.ip ?? 0n);
    if (has(SampleField.tid)) builder.u32(values.pid ?? 0).u32(values.tid ?? values.pid ?? 0);
    if (has(SampleField.time)) builder.u64(values.time ?? 0n);
    if (has(SampleField.address)) builder.u64(values.address ?? 0n);
    if (has(SampleField.id)) builder.u64(id);
    if (has(SampleField.streamId)) builder.u64(id);
    if (has(SampleField.cpu)) builder.u32(values.cpu ?? 0).u32(0);
    if (has(SampleField.period)) builder.u64(values.period ?? period ?? 0n);
    if (has(SampleField.read))
      this.readValues(builder, this.events[event].readFormat ?? 0, id, this.countUp(id, values.period ?? period ?? 0n));
    if (has(SampleField.callchain)) {
      builder.u64(values.callchain?.length ?? 0);
      for (const ip of values.callchain ?? []) builder.u64(ip);
    }
    if (has(SampleField.raw)) {
      const raw = values.raw ?? Buffer.alloc(4);
      builder.u32(raw.length).bytes(raw);
    }
    if (has(SampleField.branchStack)) {
      builder.u64(values.branches ?? 0);
      if (branchType & (1n << 17n)) builder.u64(0);
      for (let at = 0; at < (values.branches ?? 0); at++) builder.u64(0x401000).u64(0x402000).u64(2);
    }
    if (has(SampleField.userRegisters)) this.registers(builder, userRegisters);
    if (has(SampleField.userStack)) builder.u64(16).u64(1).u64(2).u64(16);
    if (has(SampleField.weight) || has(SampleField.weightStruct)) builder.u64(values.weight ?? 0n);
    if (has(SampleField.dataSource)) builder.u64(values.dataSource ?? 0n);
    if (has(SampleField.transaction)) builder.u64(0);
    if (has(SampleField.interruptRegisters)) this.registers(builder, interruptRegisters);
    if (has(SampleField.physicalAddress)) builder.u64(values.physicalAddress ?? 0n);
    if (has(SampleField.cgroup)) builder.u64(1);
    if (has(SampleField.dataPageSize)) builder.u64(values.dataPageSize ?? 0n);
    if (has(SampleField.codePageSize)) builder.u64(4096);
    this.record(RecordType.sample, misc, builder.take());
  }

  /** Arm SPE's trace data of one buffer. */
  spe(pmu: number, cpu: number, data: Buffer): void {
    const padded = Buffer.concat([data, Buffer.alloc((8 - (data.length % 8)) % 8)]);
    this.record(
      RecordType.auxtrace,
      0,
      this.builder().u64(padded.length).u64(0).u64(pmu).u32(cpu).u32(0xffffffff).u32(cpu).u32(0).take(),
    );
    this.records.bytes(padded);
  }

  /**
   * What `work` writes comes in compressed records of at most `most` bytes of it each: one zstd frame of stored blocks.
   */
  compress(work: () => void, most = 300): void {
    this.compressing = { plain: this.builder(), hasBegun: false };
    work();
    const plain = this.compressing.plain.take();
    this.compressing = undefined;
    this.isCompressed = true;
    for (let at = 0; at < plain.length; at += most) {
      const part = plain.subarray(at, at + most);
      const header = at === 0 ? Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x48) : Buffer.alloc(0); // a window of 512 KiB
      const block = Buffer.alloc(3);
      block.writeUIntLE(part.length << 3, 0, 3);
      this.record(RecordType.compressed, 0, Buffer.concat([header, block, part]));
    }
  }

  finish(): Buffer {
    return this.options.isPipe ? this.finishPipe() : this.finishFile();
  }

  private finishFile(): Buffer {
    const features = this.features();
    const attributesAt = FILE_HEADER_BYTES;
    const idsAt = attributesAt + this.events.length * (ATTRIBUTE_BYTES + 16);
    const ids = this.builder();
    const attributes = this.builder();
    for (const event of this.events) {
      attributes
        .bytes(this.attributes(event))
        .u64(idsAt + ids.length)
        .u64(8 * event.ids.length);
      for (const id of event.ids) ids.u64(id);
    }
    const dataAt = idsAt + ids.length;
    const data = this.records.take();
    let at = dataAt + data.length + 16 * features.length;
    const table = this.builder();
    for (const { bytes } of features) {
      table.u64(at).u64(bytes.length);
      at += bytes.length;
    }
    const bits = features.reduce((sum, { feature }) => sum | (1n << BigInt(feature)), 0n);
    const header = this.magic()
      .u64(FILE_HEADER_BYTES)
      .u64(ATTRIBUTE_BYTES + 16)
      .u64(attributesAt)
      .u64(attributes.length)
      .u64(dataAt)
      .u64(data.length)
      .u64(0)
      .u64(0);
    header.u64(bits).u64(0).u64(0).u64(0);
    return Buffer.concat([
      header.take(),
      attributes.take(),
      ids.take(),
      data,
      table.take(),
      ...features.map(({ bytes }) => bytes),
    ]);
  }

  private finishPipe(): Buffer {
    const head = new PerfDataWriter({ isLittle: this.isLittle });
    for (const { feature, bytes } of this.features().filter(({ feature }) => ![12, 2].includes(feature)))
      head.record(RecordType.feature, 0, this.builder().u64(feature).bytes(bytes).take());
    for (const event of this.events) {
      const ids = this.builder();
      for (const id of event.ids) ids.u64(id);
      head.record(RecordType.attribute, 0, Buffer.concat([this.attributes(event), ids.take()]));
    }
    for (const { name, ids } of this.events)
      head.record(RecordType.eventUpdate, 0, this.builder().u64(2).u64(ids[0]).text(name).take());
    for (const bytes of this.buildIds()) head.records.bytes(bytes);
    return Buffer.concat([this.magic().u64(16).take(), head.records.take(), this.records.take()]);
  }

  private magic(): ByteBuilder {
    return this.builder().bytes(Buffer.from(this.isLittle ? 'PERFILE2' : '2ELIFREP'));
  }

  private attributes(event: EventOptions): Buffer {
    let flags = 1n << BigInt(FLAG.sampleIdAll);
    const precise = event.preciseIp ?? 0;
    if (precise & 1) flags |= 1n << BigInt(this.isLittle ? FLAG.preciseIp : FLAG.preciseIp + 1);
    if (precise & 2) flags |= 1n << BigInt(this.isLittle ? FLAG.preciseIp + 1 : FLAG.preciseIp);
    if (!this.isLittle)
      flags = Array.from({ length: 64 }, (_, bit) => (flags >> BigInt(bit)) & 1n).reduce(
        (sum, bit) => (sum << 1n) | bit,
        0n,
      );
    const builder = this.builder()
      .u32(event.type)
      .u32(ATTRIBUTE_BYTES)
      .u64(event.config ?? 0n)
      .u64(event.period ?? 1n)
      .u64(event.fields)
      .u64(event.readFormat ?? 0)
      .u64(flags);
    builder
      .u32(0)
      .u32(event.type === 5 ? 3 : 0)
      .u64(event.config1 ?? 0n)
      .u64(event.config2 ?? 0n)
      .u64(event.branchType ?? 0n)
      .u64(event.userRegisters ?? 0n)
      .u32(16)
      .u32(0)
      .u64(event.interruptRegisters ?? 0n);
    return builder.bytes(Buffer.alloc(ATTRIBUTE_BYTES - builder.length)).take();
  }

  private features(): { feature: number; bytes: Buffer }[] {
    const {
      architecture = 'x86_64',
      cpuId = 'GenuineIntel,6,106,6',
      pmus = {},
      hostname = 'constructed',
      command = ['perf', 'record'],
    } = this.options;
    const text = (value: string): Buffer => this.string(this.builder(), value).take();
    const events = this.builder().u32(this.events.length).u32(ATTRIBUTE_BYTES);
    for (const event of this.events) {
      events.bytes(this.attributes(event)).u32(event.ids.length);
      this.string(events, event.name);
      for (const id of event.ids) events.u64(id);
    }
    const mappings = this.builder().u32(Object.keys(pmus).length);
    for (const [name, type] of Object.entries(pmus)) this.string(mappings.u32(type), name);
    const words = this.builder().u32(command.length);
    for (const word of command) this.string(words, word);
    const list = [
      { feature: 2, bytes: Buffer.concat(this.buildIds()) },
      { feature: 3, bytes: text(hostname) },
      { feature: 4, bytes: text('6.12.0') },
      { feature: 5, bytes: text('6.12') },
      { feature: 6, bytes: text(architecture) },
      { feature: 8, bytes: text('a constructed processor') },
      { feature: 9, bytes: text(cpuId) },
      { feature: 11, bytes: words.take() },
      { feature: 12, bytes: events.take() },
      { feature: 16, bytes: mappings.take() },
    ];
    if (this.isCompressed)
      list.push({
        feature: 27,
        bytes: this.builder()
          .u32(1)
          .u32(1)
          .u32(1)
          .u32(1)
          .u32(1 << 19)
          .take(),
      });
    return list;
  }

  private buildIds(): Buffer[] {
    return Object.entries(this.options.buildIds ?? {}).map(([file, buildId]) => {
      const id = Buffer.alloc(24);
      Buffer.from(buildId, 'hex').copy(id);
      id[20] = buildId.length / 2;
      const body = this.builder().u32(0xffffffff).bytes(id).text(file).take();
      return this.builder()
        .u32(RecordType.buildId)
        .u16(USER | (1 << 15))
        .u16(body.length + 8)
        .bytes(body)
        .take();
    });
  }

  private string(builder: ByteBuilder, text: string): ByteBuilder {
    const bytes = Buffer.from(`${text}\0`);
    const length = Math.ceil(bytes.length / 64) * 64;
    return builder
      .u32(length)
      .bytes(bytes)
      .bytes(Buffer.alloc(length - bytes.length));
  }

  /**
   * Counters never stand still between two samples: perf takes the difference for the period, and drops samples without
   * one.
   */
  private countUp(id: bigint, period: bigint): bigint {
    const count = (this.counts.get(id) ?? 0n) + period;
    this.counts.set(id, count);
    return count;
  }

  private readValues(builder: ByteBuilder, format: number, id: bigint, count: bigint): void {
    const times = (): void => {
      if (format & 1) builder.u64(1);
      if (format & 2) builder.u64(1);
    };
    const value = (): void => {
      builder.u64(count);
      if (!(format & 8)) times();
      if (format & 4) builder.u64(id);
      if (format & 16) builder.u64(0);
    };
    if (!(format & 8)) return value();
    builder.u64(2);
    times();
    value();
    value();
  }

  private registers(builder: ByteBuilder, mask: bigint): void {
    builder.u64(2);
    for (let rest = mask; rest > 0n; rest &= rest - 1n) builder.u64(0x1234);
  }

  private withTrailer(builder: ByteBuilder, pid: number, tid: number, time: bigint): Buffer {
    const { fields, ids } = this.events[0];
    const has = (bit: number): boolean => (fields & bit) !== 0;
    if (has(SampleField.tid)) builder.u32(pid).u32(tid);
    if (has(SampleField.time)) builder.u64(time);
    if (has(SampleField.id)) builder.u64(ids[0]);
    if (has(SampleField.streamId)) builder.u64(ids[0]);
    if (has(SampleField.cpu)) builder.u32(0).u32(0);
    if (has(SampleField.identifier)) builder.u64(ids[0]);
    return builder.take();
  }
}
