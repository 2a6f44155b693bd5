// Stage: samples -> text. The lines that types add to a dump of samples: modules, types, the reasons of samples without
// type, a line for each row and each object that was kept.

import { describeDataSource, splitDataSource } from '../samples/data-source.js';
import { sampledFieldAt, type SampledPlace, type SampledType, type TypedSamples } from '../samples/typed-samples.js';
import { spellVisibly } from '../../report/visible-text.js';
import { quote } from '../../dump/quote.js';

/** Line by line. */
export function* dumpTyped(typed: TypedSamples): Generator<string> {
  yield `run ${typed.startNs} to ${typed.endNs} (stamps ${typed.startStamp} to ${typed.endStamp}), ` +
    `${spellVisibly(typed.ended)}, ${typed.threads} threads on ${typed.cpus} processors, randomised addresses ` +
    `${typed.aslr ? 'on' : 'off'}${typed.trace === null ? '' : `, trace ${quote(typed.trace)}`}`;
  for (const { file, buildId, isInstrumented, isKernel } of typed.modules)
    yield `module ${quote(file)}${buildId === '' ? '' : ` build-id ${buildId}`}` +
      `${isInstrumented ? ' instrumented' : ''}${isKernel ? ' kernel' : ''}`;
  for (const type of typed.types.slice(1)) yield describeType(type);
  for (const [reason, count] of Object.entries(typed.untyped)) yield `untyped ${count} ${spellVisibly(reason)}`;
  for (const [note, count] of Object.entries(typed.notes)) if (count > 0) yield `note ${count} ${spellVisibly(note)}`;
  yield* dumpRows(typed);
  yield* dumpObjects(typed);
}

function describeType({ name, rule, bytes, fields, lives }: SampledType): string {
  const spelled =
    fields.length === 0
      ? ''
      : `: ${fields.map(({ path, offset, bytes: size }) => `${quote(path)}@${offset}+${size}`).join(' ')}`;
  const lived =
    lives === null
      ? ''
      : `; ${lives.allocations} allocated, ${lives.frees} freed, at most ${lives.peakObjects} at once`;
  return `type ${quote(name)} by ${rule} ${bytes} bytes${spelled}${lived}`;
}

function* dumpRows({ rows, types, places, events }: TypedSamples): Generator<string> {
  for (let row = 0; row < rows.type.length; row++) {
    const source = rows.dataSource[row];
    const parts = splitDataSource(source);
    const level = source === 0n ? '' : ` from ${parts.servedBy} ${describeDataSource(parts)}`;
    const weight = rows.weight[row] === 0n ? '' : ` weight ${rows.weight[row]}`;
    yield `row ${describeWhat(types[rows.type[row]], rows.offset[row])} ${describePlace(places[rows.place[row]])} ` +
      `cpu ${rows.cpu[row]} ${quote(events[rows.event[row]].name)} samples ${rows.samples[row]} period ` +
      `${rows.period[row]}${weight}${level}`;
  }
}

function* dumpObjects({ objects, types, places }: TypedSamples): Generator<string> {
  for (let row = 0; row < objects.type.length; row++) {
    const end =
      objects.diedNs[row] === 0n
        ? 'to the end'
        : `to ${objects.diedNs[row]}` +
          `${objects.freedAt[row] === 0 ? '' : ` freed at ${describePlace(places[objects.freedAt[row]])}`}`;
    yield `object ${quote(types[objects.type[row]].name)} 0x${objects.address[row].toString(16)} ` +
      `${objects.bytes[row]} bytes from ${objects.bornNs[row]} thread ${objects.thread[row]} cpu ` +
      `${objects.cpu[row]} at ${describePlace(places[objects.allocatedAt[row]])} ${end}, samples ` +
      `${objects.samples[row]}`;
  }
}

/** Type, offset and field. */
export function describeWhat(type: SampledType, offset: bigint): string {
  if (type.name === '') return 'no type';
  const field = sampledFieldAt(type, Number(offset));
  return `${quote(type.name)}+${offset}${field === null || field.path === '' ? '' : ` ${quote(field.path)}`}`;
}

export function describePlace({ ip, function: name, file, line }: SampledPlace): string {
  return `ip 0x${ip}${name === '' ? '' : ` ${quote(name)}`}${file === '' ? '' : ` ${quote(`${file}:${line}`)}`}`;
}
