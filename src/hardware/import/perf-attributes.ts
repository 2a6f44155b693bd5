// Stage: hardware. perf_event_attr, what an event was asked to record, to where things stand in its samples.

import { type ByteView, hexadecimal } from './byte-view.js';
import { EventType, KNOWN_SAMPLE_FIELDS, SampleField } from './perf-layout.js';
import { SamplesError } from '../samples/samples-error.js';
import { FIELDS, type Field, type SampledEvent, type Source } from '../samples/samples.js';

/** Size of the first published version. */
export const LEAST_ATTRIBUTE_BYTES = 64;
export const MOST_EVENTS = 4096;
const MOST_ATTRIBUTE_BYTES = 4096;

export interface EventAttributes {
  readonly type: number;
  readonly config: bigint;
  readonly period: bigint;
  /** Bits of SampleField. */
  readonly fields: number;
  readonly readFormat: number;
  readonly hasSampleIdAll: boolean;
  readonly isFrequency: boolean;
  readonly preciseIp: number;
  readonly address: bigint;
  readonly length: bigint;
  readonly branchType: number;
  readonly userRegisters: number;
  readonly interruptRegisters: number;
  /** A clock of clock_gettime; -1: perf's own. */
  readonly clock: number;
}

/** Flags are numbered from the other end of their 64 bits in a file of big-endian: they are bit fields there. */
const Flag = { frequency: 10, preciseIp: 15, sampleIdAll: 18, useClock: 25 } as const;

export function readAttributes(view: ByteView): EventAttributes {
  const size = view.u32(4) || LEAST_ATTRIBUTE_BYTES;
  if (size < LEAST_ATTRIBUTE_BYTES || size > MOST_ATTRIBUTE_BYTES)
    throw new SamplesError(
      'event attributes',
      view.offset + 4,
      `a size of ${LEAST_ATTRIBUTE_BYTES} to ${MOST_ATTRIBUTE_BYTES} bytes`,
      `${size}`,
    );
  view.need(0, LEAST_ATTRIBUTE_BYTES);
  const end = Math.min(size, view.length);
  const u64 = (at: number): bigint => (at + 8 <= end ? view.u64(at) : 0n);
  const flag = (bit: number): number => {
    const place = view.isLittle ? bit : 63 - bit;
    return (place < 32 ? view.low(40) >>> place : view.high(40) >>> (place - 32)) & 1;
  };
  const fields = view.number(24);
  if (fields > KNOWN_SAMPLE_FIELDS)
    throw new SamplesError(
      'event attributes',
      view.offset + 24,
      `sample fields among 0x${KNOWN_SAMPLE_FIELDS.toString(16)}`,
      hexadecimal(view.u64(24)),
      'this dprof does not know where those stand in a sample; record without them, or update dprof',
    );
  return {
    type: view.u32(0),
    config: view.u64(8),
    period: view.u64(16),
    fields,
    readFormat: view.low(32),
    hasSampleIdAll: flag(Flag.sampleIdAll) === 1,
    isFrequency: flag(Flag.frequency) === 1,
    // Two bits, the lower one first; of big-endian the higher one.
    preciseIp: view.isLittle
      ? flag(Flag.preciseIp) | (flag(Flag.preciseIp + 1) << 1)
      : (flag(Flag.preciseIp) << 1) | flag(Flag.preciseIp + 1),
    address: u64(56),
    length: u64(64),
    branchType: Number(u64(72) & 0xffff_ffffn),
    userRegisters: countBits(u64(80)),
    interruptRegisters: countBits(u64(96)),
    clock: flag(Flag.useClock) === 1 && end >= 96 ? view.u32(92) | 0 : -1,
  };
}

function countBits(bits: bigint): number {
  let count = 0;
  for (let rest = bits; rest > 0n; rest &= rest - 1n) count++;
  return count;
}

const FIELD_BITS: readonly (readonly [Field, number])[] = [
  ['ip', SampleField.ip],
  ['thread', SampleField.tid],
  ['time', SampleField.time],
  ['address', SampleField.address],
  ['cpu', SampleField.cpu],
  ['period', SampleField.period],
  ['weight', SampleField.weight],
  ['weightStruct', SampleField.weightStruct],
  ['dataSource', SampleField.dataSource],
  ['physicalAddress', SampleField.physicalAddress],
  ['dataPageSize', SampleField.dataPageSize],
  ['raw', SampleField.raw],
];

/** Fields that packets and registers say although the event did not ask the kernel for them. */
function derivedFields(source: Source, fields: number): readonly Field[] {
  if (source === 'spe') return ['address', 'cpu', 'weight', 'dataSource', 'period'];
  if (source !== 'ibs' || (fields & SampleField.raw) === 0) return [];
  return fields & (SampleField.weight | SampleField.weightStruct)
    ? ['address', 'physicalAddress', 'dataSource']
    : ['address', 'physicalAddress', 'dataSource', 'weightStruct'];
}

export function describeEvent(attributes: EventAttributes, name: string, pmu: string, samples: number): SampledEvent {
  const source = sourceOf(attributes, name, pmu);
  const said = new Set<Field>([
    ...FIELD_BITS.filter(([, bit]) => (attributes.fields & bit) !== 0).map(([field]) => field),
    ...derivedFields(source, attributes.fields),
  ]);
  return {
    name: name === '' ? nameEvent(attributes, pmu) : name,
    source,
    fields: FIELDS.filter((field) => said.has(field)),
    type: attributes.type,
    config: hexadecimal(attributes.config),
    address: hexadecimal(attributes.address),
    length: hexadecimal(attributes.length),
    period: hexadecimal(attributes.period),
    isFrequency: attributes.isFrequency,
    preciseIp: attributes.preciseIp,
    samples,
  };
}

/** Numbers of PMUs are given out as a machine starts, so names decide; where there is none, what only PEBS has. */
export function sourceOf({ type, fields }: EventAttributes, name: string, pmu: string): Source {
  if (type === EventType.breakpoint) return 'breakpoint';
  if (pmu.startsWith('ibs_op') || (pmu === '' && name.startsWith('ibs_op'))) return 'ibs';
  if (pmu.startsWith('arm_spe') || (pmu === '' && name.startsWith('arm_spe'))) return 'spe';
  return (fields & SampleField.dataSource) !== 0 && (fields & SampleField.address) !== 0 ? 'pebs' : 'other';
}

function nameEvent({ type, config, address }: EventAttributes, pmu: string): string {
  if (type === EventType.breakpoint) return `mem:${hexadecimal(address)}`;
  return `${pmu === '' ? `type-${type}` : pmu}/config=${hexadecimal(config)}/`;
}
