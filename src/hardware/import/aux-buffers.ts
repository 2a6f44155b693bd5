// Stage: hardware. Trace data that a processor wrote into buffers of its own: which PMU's they are, how its clock
// reads, and the samples in them. Of those that perf records only Arm's SPE is of memory; others are counted.

import type { ByteView } from './byte-view.js';
import type { EventTable } from './event-table.js';
import { AUXTRACE_ARM_SPE } from './perf-layout.js';
import type { Losses, ProcessEvents } from './process-events.js';
import { NOWHERE } from '../samples/samples.js';
import { SamplesError } from '../samples/samples-error.js';
import { readSpeSamples, type SpeBuffer, type TimeConversion } from './spe-samples.js';
import type { TimeOrder } from './time-order.js';

/** A record is of one buffer; perf's are 4 MiB unless told otherwise. */
const MOST_BYTES = 64 << 20;
const MOST_SHIFT = 63;

export class AuxBuffers {
  private time: TimeConversion | undefined;
  /** Type of the PMU; -1: none that is read. */
  private pmu = -1;
  private buffer: SpeBuffer | undefined;
  private parts: Uint8Array[] = [];

  constructor(
    private readonly events: EventTable,
    private readonly processes: ProcessEvents,
    private readonly losses: Losses,
    private readonly order: TimeOrder,
  ) {}

  describe(view: ByteView): void {
    if (view.u32(8) === AUXTRACE_ARM_SPE) this.pmu = view.number(16);
  }

  convertTime(view: ByteView): void {
    const isLong = view.length >= 56;
    const shift = view.number(8);
    if (shift > MOST_SHIFT)
      throw new SamplesError('time conversion', view.offset + 8, `a shift of at most ${MOST_SHIFT}`, `${shift}`);
    this.time = {
      shift: BigInt(shift),
      multiplier: view.u64(16),
      zero: view.u64(24),
      cycles: isLong ? view.u64(32) : 0n,
      mask: isLong ? view.u64(40) : 0n,
      isShort: isLong && view.u8(49) !== 0,
    };
  }

  /** How many bytes of data follow the record. */
  begin(view: ByteView, cpuId: string): number {
    const bytes = view.number(8);
    const [tid, cpu] = [view.u32(36), view.u32(40)];
    const event = this.events.events.find(({ attributes, source }) => attributes.type === this.pmu || source === 'spe');
    this.parts = [];
    this.buffer = undefined;
    if (event === undefined) {
      this.losses.skip('bytes of trace buffers that are not Arm SPE', bytes);
      return bytes;
    }
    if (bytes > MOST_BYTES)
      throw new SamplesError('trace buffer', view.offset + 8, `at most ${MOST_BYTES} bytes`, `${bytes}`);
    if (event.pmu === '') event.pmu = 'arm_spe'; // a recording that does not name its PMUs
    this.buffer = {
      event,
      tid,
      cpu,
      time: this.time,
      cpuId,
      pidOf: (one) => (one === NOWHERE ? NOWHERE : this.processes.pidOf(one)),
    };
    return bytes;
  }

  add(bytes: Uint8Array, isLast: boolean): void {
    const { buffer, parts } = this;
    if (buffer === undefined) return;
    parts.push(Uint8Array.from(bytes)); // a copy: what it is read from is written over
    if (!isLast) return;
    this.buffer = undefined;
    this.parts = [];
    const { badBytes, cutRecords, others } = readSpeSamples(Buffer.concat(parts), buffer, this.order.rows, () =>
      this.order.added(),
    );
    this.losses.skip('bytes that begin no SPE packet', badBytes);
    this.losses.skip('SPE records that were cut short', cutRecords);
    this.losses.skip('SPE records of branches and other operations', others);
  }
}
