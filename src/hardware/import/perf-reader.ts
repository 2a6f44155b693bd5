// Stage: hardware. A perf.data to samples in order of time and their tables: sections and features first, then record
// by record.

import type { ByteSource } from '../../profile/byte-source.js';
import { AuxBuffers } from './aux-buffers.js';
import { ByteView } from './byte-view.js';
import { EventTable } from './event-table.js';
import { parseAmdModel } from './ibs-op.js';
import { LEAST_ATTRIBUTE_BYTES } from './perf-attributes.js';
import { isRead, PerfFeatures } from './perf-features.js';
import { readHeader, readSection, type PerfHeader } from './perf-header.js';
import { IGNORED_RECORDS, RecordType } from './perf-layout.js';
import { Losses, ProcessEvents } from './process-events.js';
import { RecordStream, type RecordPlace } from './record-stream.js';
import { SampleDecoder } from './sample-decoder.js';
import type { SampleColumns, SampleTables } from '../samples/samples.js';
import { SamplesError } from '../samples/samples-error.js';
import { TimeOrder } from './time-order.js';
import { ZstdStream } from './zstd-stream.js';

const PART_BYTES = 1 << 20;
const SECTION_BYTES = 16;
/** The largest section that is held in memory; the data is not. */
const MOST_SECTION_BYTES = 64 << 20;
const NO_EVENT = 'samples of no known event';
/** Truncated, partial, collided: PERF_AUX_FLAG_*. */
const AUX_FLAGS = 1 | 4 | 8;

/**
 * Yields how many bytes of its input are done, often enough for its caller to do something else meanwhile; returns what
 * there is beside the samples.
 */
export type Reading = Generator<number, SampleTables>;

/** `onChunk` gets the samples, at most CHUNK_ROWS at a time. */
export function readPerfData(file: ByteSource, onChunk: (columns: SampleColumns, rows: number) => void): Reading {
  return new PerfReader(file, onChunk).read();
}

class PerfReader {
  private readonly header: PerfHeader;
  private readonly isLittle: boolean;
  private readonly events = new EventTable();
  private readonly features = new PerfFeatures(this.events);
  private readonly processes = new ProcessEvents();
  private readonly losses = new Losses();
  private readonly order: TimeOrder;
  private decoder: SampleDecoder | undefined;
  private unpacked: { stream: RecordStream; zstd: ZstdStream } | undefined;
  private readonly aux: AuxBuffers;

  constructor(
    private readonly file: ByteSource,
    onChunk: (columns: SampleColumns, rows: number) => void,
  ) {
    this.header = readHeader(file);
    this.isLittle = this.header.isLittle;
    this.order = new TimeOrder(onChunk);
    this.aux = new AuxBuffers(this.events, this.processes, this.losses, this.order);
  }

  *read(): Reading {
    const { header, file } = this;
    this.readEventSections();
    for (const { feature, section } of header.features)
      if (isRead(feature))
        this.features.read(feature, this.viewOf(section.offset, section.bytes, `feature ${feature}`));
    const stream = new RecordStream(
      this.isLittle,
      header.data.offset,
      (record) => this.record(record, false),
      (bytes, isLast) => this.aux.add(bytes, isLast),
    );
    for (let at = 0; at < header.data.bytes; at += PART_BYTES) {
      stream.push(file.read(header.data.offset + at, Math.min(PART_BYTES, header.data.bytes - at)));
      yield header.data.offset + at;
    }
    if (!header.isUnfinished) stream.finish();
    else this.losses.skip('perf record did not finish: what its last buffers held');
    this.unpacked?.stream.finish();
    this.order.finish();
    return this.tables();
  }

  private readEventSections(): void {
    const { attributes, attributeBytes } = this.header;
    if (this.header.isPipe) return;
    if (attributes.bytes > 0 && (attributeBytes < LEAST_ATTRIBUTE_BYTES + SECTION_BYTES || attributeBytes > PART_BYTES))
      throw new SamplesError(
        'perf.data header',
        16,
        `event attributes of at least ${LEAST_ATTRIBUTE_BYTES + SECTION_BYTES} bytes`,
        `${attributeBytes}`,
      );
    for (let at = 0; at < attributes.bytes; at += attributeBytes) {
      const view = this.viewOf(attributes.offset + at, attributeBytes, 'event attributes');
      const event = this.events.add(view.part(0, attributeBytes - SECTION_BYTES));
      const ids = readSection(view, attributeBytes - SECTION_BYTES, this.file, 'event ids');
      this.events.addIds(event, this.viewOf(ids.offset, ids.bytes, 'event ids'));
    }
  }

  private viewOf(offset: number, bytes: number, what: string): ByteView {
    if (bytes > MOST_SECTION_BYTES)
      throw new SamplesError(what, offset, `at most ${MOST_SECTION_BYTES} bytes`, `${bytes}`);
    const view = new ByteView(this.file.read(offset, bytes), offset, this.isLittle, what);
    view.need(0, bytes);
    return view;
  }

  /** How many bytes behind the record are its own. */
  private record(place: RecordPlace, isUnpacked: boolean): number {
    const { type, misc } = place;
    if (type === RecordType.sample) {
      this.sample(place);
      return 0;
    }
    if (IGNORED_RECORDS.has(type)) return 0;
    const view = new ByteView(
      place.bytes.subarray(place.at, place.end),
      place.offset,
      this.isLittle,
      `record of type ${type}`,
    );
    switch (type) {
      case RecordType.mmap:
        this.processes.mmap(this.withoutTrailer(view), misc, this.timeOf(view));
        return 0;
      case RecordType.mmap2:
        this.processes.mmap2(this.withoutTrailer(view), misc, this.timeOf(view));
        return 0;
      case RecordType.comm:
        this.processes.name(this.withoutTrailer(view), misc, this.timeOf(view));
        return 0;
      case RecordType.fork:
        this.processes.change('fork', view);
        return 0;
      case RecordType.exit:
        this.processes.change('exit', view);
        return 0;
      case RecordType.lost:
        this.losses.records += view.number(16);
        return 0;
      case RecordType.lostSamples:
        this.losses.samples += view.number(8);
        return 0;
      case RecordType.throttle:
        this.losses.throttles++;
        return 0;
      case RecordType.aux:
        if (view.number(24) & AUX_FLAGS) this.losses.truncatedAux++;
        return 0;
      case RecordType.finishedRound:
        this.order.finishRound();
        return 0;
      case RecordType.compressed:
        this.unpack(view.part(8, view.length - 8), isUnpacked);
        return 0;
      case RecordType.compressed2:
        this.unpack(view.part(16, view.number(8)), isUnpacked);
        return 0;
      case RecordType.auxtrace:
        return this.aux.begin(view, this.features.cpuId);
      default:
        return this.describe(type, view);
    }
  }

  /** Records that say what others mean: those of a pipe, and conversions. */
  private describe(type: number, view: ByteView): number {
    switch (type) {
      case RecordType.attribute: {
        const bytes = view.u32(12) || LEAST_ATTRIBUTE_BYTES;
        this.events.addIds(
          this.events.add(view.part(8, bytes, 'event attributes')),
          view.part(8 + bytes, view.length - 8 - bytes),
        );
        return 0;
      }
      case RecordType.eventUpdate:
        if (view.number(8) === EVENT_NAME) this.events.name(this.events.find(view.number(16)), view.text(24));
        return 0;
      case RecordType.feature:
        this.features.read(view.number(8), view.part(16, view.length - 16));
        return 0;
      case RecordType.buildId:
        this.features.readBuildIds(view);
        return 0;
      case RecordType.tracingData:
        return padded(view.u32(8));
      case RecordType.timeConversion:
        this.aux.convertTime(view);
        return 0;
      case RecordType.auxtraceInfo:
        this.aux.describe(view);
        return 0;
      case RecordType.auxtraceError:
        this.losses.truncatedAux++;
        return 0;
      default:
        this.losses.skip(
          type < RecordType.attribute
            ? 'records of the kernel that this dprof does not know'
            : 'records of perf that this dprof does not know',
        );
        return 0;
    }
  }

  private sample(place: RecordPlace): void {
    // By now a pipe has said what processor it is.
    this.decoder ??= new SampleDecoder(this.events, this.order.rows, this.isLittle, parseAmdModel(this.features.cpuId));
    const event = this.decoder.identify(place);
    if (event === undefined) return this.losses.skip(NO_EVENT);
    this.decoder.decode(place, event);
    this.order.added();
  }

  private withoutTrailer(view: ByteView): ByteView {
    const trailer = this.events.first?.trailerBytes ?? 0;
    return view.part(0, Math.max(0, view.length - trailer));
  }

  private timeOf(view: ByteView): bigint {
    const back = this.events.first?.timeFromEnd ?? 0;
    return back === 0 || view.length < back ? 0n : view.u64(view.length - back);
  }

  private unpack(payload: ByteView, isUnpacked: boolean): void {
    if (isUnpacked)
      throw new SamplesError('compressed records', payload.offset, 'records', 'compressed records inside them');
    if (this.unpacked === undefined) {
      const stream = new RecordStream(
        this.isLittle,
        0,
        (record) => this.record(record, true),
        () => {},
      );
      this.unpacked = { stream, zstd: new ZstdStream((bytes) => stream.push(bytes)) };
    }
    this.unpacked.zstd.push(payload.bytes, payload.offset);
  }

  private tables(): SampleTables {
    const { hostname, kernel, architecture, cpu, cpuId, perfVersion, command, buildIds } = this.features;
    return {
      run: {
        origin: 'perf.data',
        hostname,
        kernel,
        architecture,
        cpu,
        cpuId,
        perfVersion,
        command,
        clock: this.events.first?.attributes.clock ?? -1,
        isBigEndian: !this.isLittle,
      },
      events: this.events.describe(),
      mappings: this.processes.mappings.map((mapping) =>
        mapping.buildId === '' ? { ...mapping, buildId: buildIds.get(mapping.file) ?? '' } : mapping,
      ),
      names: this.processes.names,
      threads: this.processes.threads,
      lost: this.losses.counts(this.order.outOfOrder),
    };
  }
}

/** PERF_EVENT_UPDATE__NAME. */
const EVENT_NAME = 2;

function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
