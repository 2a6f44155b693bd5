// Stage: samples -> text. A file of samples as it is: what was recorded, its events, processes and losses, what samples
// with types came to, then a line for each single sample, in order of time.

import { describeDataSource, splitDataSource } from '../samples/data-source.js';
import { MappedCode } from '../samples/mapped-code.js';
import { NOWHERE, type SampledEvent, type SampleTables } from '../samples/samples.js';
import type { OpenedSamples, SampleChunk } from '../samples/samples-reader.js';
import type { TypedSamples } from '../samples/typed-samples.js';
import { spellVisibly } from '../../report/visible-text.js';
import { quote, quoteAlways } from '../../dump/quote.js';
import { describePlace, describeWhat, dumpTyped } from './typed-sample-lines.js';

const LOST = {
  records: 'records that found no room',
  samples: 'samples that the processor or kernel dropped',
  throttles: 'throttles',
  truncatedAux: 'trace buffers that were cut short',
  outOfOrder: 'samples out of order',
} as const;

/** Line by line. */
export function* dumpSamples(samples: OpenedSamples): Generator<string> {
  const { tables, rows } = samples;
  const { run, events } = tables;
  yield `samples ${rows} of ${quote(run.origin)}, ` +
    `${run.architecture === '' ? 'an unknown architecture' : quote(run.architecture)}, ` +
    `${run.isBigEndian ? 'big-endian' : 'little-endian'}, clock ${run.clock === -1 ? "perf's own" : run.clock}`;
  for (const key of ['hostname', 'kernel', 'cpu', 'cpuId', 'perfVersion'] as const)
    if (run[key] !== '') yield `${key} ${quoteAlways(run[key])}`;
  if (run.command.length > 0) yield `command ${run.command.map(quoteAlways).join(' ')}`;
  for (const [index, event] of events.entries()) yield describeEvent(index, event);
  yield* describeProcesses(tables);
  yield* describeLosses(tables);
  const typed = samples.typed();
  if (typed !== null) yield* dumpTyped(typed);
  const names = events.map(({ name }) => quote(name));
  const code = new MappedCode(tables);
  for (const chunk of samples.chunks())
    for (let row = 0; row < chunk.rows; row++) yield describeSample(chunk, row, names, events, code, typed);
}

function describeEvent(
  index: number,
  { name, source, samples, fields, type, config, period, isFrequency, preciseIp }: SampledEvent,
): string {
  return (
    `event ${index} ${quote(name)} ${source} ${samples} samples, type ${type}, config ${config}, ` +
    `${isFrequency ? 'frequency' : 'period'} ${BigInt(period)}, precise ${preciseIp}, says ${fields.join(' ')}`
  );
}

function* describeProcesses({ mappings, names, threads }: SampleTables): Generator<string> {
  for (const { time, pid, tid, name, isExec } of names)
    yield `name ${time} ${processOf(pid, tid)} ${quote(name)}${isExec ? ' exec' : ''}`;
  for (const { time, kind, pid, tid, parentPid, parentTid } of threads)
    yield `${kind} ${time} ${processOf(pid, tid)} of ${processOf(parentPid, parentTid)}`;
  for (const { time, pid, start, bytes, fileOffset, file, buildId, isExecutable, isKernel } of mappings) {
    const where = isKernel ? 'kernel' : `pid ${pid}`;
    yield `mapping ${time} ${where} ${start} ${bytes} bytes from ${fileOffset}${isExecutable ? ' executable' : ''} ` +
      `${quote(file)}${buildId === '' ? '' : ` build-id ${buildId}`}`;
  }
}

function* describeLosses({ lost }: SampleTables): Generator<string> {
  for (const [key, what] of Object.entries(LOST))
    if (lost[key as keyof typeof LOST] > 0) yield `lost ${lost[key as keyof typeof LOST]} ${what}`;
  for (const [what, count] of Object.entries(lost.skipped)) yield `skipped ${count} ${spellVisibly(what)}`;
}

function describeSample(
  { columns }: SampleChunk,
  row: number,
  names: readonly string[],
  events: readonly SampledEvent[],
  code: MappedCode,
  typed: TypedSamples | null,
): string {
  const event = columns.event[row];
  const { fields } = events[event];
  const parts = [
    `sample ${columns.time[row]}`,
    processOf(columns.pid[row], columns.tid[row]),
    columns.cpu[row] === NOWHERE ? 'cpu -' : `cpu ${columns.cpu[row]}`,
    names[event],
  ];
  const place = code.find(columns.pid[row], columns.ip[row], columns.time[row]);
  parts.push(
    `ip ${hex(columns.ip[row])}${place === undefined ? '' : ` (${quote(place.mapping.file)}+${hex(place.offset)})`}`,
    `address ${hex(columns.address[row])}`,
    `period ${columns.period[row]}`,
  );
  if (typed !== null)
    parts.push(
      describeWhat(typed.types[columns.type[row]], columns.offset[row]),
      `at ${describePlace(typed.places[columns.place[row]])}`,
    );
  if (columns.physicalAddress[row] !== 0n) parts.push(`physical ${hex(columns.physicalAddress[row])}`);
  if (columns.dataPageSize[row] !== 0n) parts.push(`page ${columns.dataPageSize[row]}`);
  if (columns.sizeBytes[row] !== 0) parts.push(`size ${columns.sizeBytes[row]}`);
  if (fields.includes('weightStruct'))
    parts.push(
      `weight ${columns.weight[row]} instruction ${columns.instructionLatency[row]} retire ` +
        `${columns.retireLatency[row]}`,
    );
  else if (fields.includes('weight') || columns.weight[row] !== 0n) parts.push(`weight ${columns.weight[row]}`);
  if (columns.dataSource[row] !== 0n) {
    const source = splitDataSource(columns.dataSource[row]);
    parts.push(`from ${source.servedBy}`, describeDataSource(source));
  }
  return parts.join(' ');
}

function processOf(pid: number, tid: number): string {
  return `${pid === NOWHERE ? '-' : pid}/${tid === NOWHERE ? '-' : tid}`;
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
