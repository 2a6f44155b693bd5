// Stage: histories -> text. Histories as they are in the file: each object, and each access to it that a debug register
// saw.

import { ENDINGS, fieldAt, type Histories, type HistoryType, type Place } from '../histories/histories.js';

/** Line by line. */
export function* dumpHistories(histories: Histories): Generator<string> {
  const { run, types, rows, end } = histories;
  yield `histories version ${histories.version} ("${histories.versionName}")` +
    `${histories.truncated ? ', truncated' : ''}, ${rows.type.length} histories, ${histories.elements.ip.length} ` +
    'elements';
  yield `run ${JSON.stringify(run)}`;
  for (const type of types)
    yield `type ${type.name} ${type.bytes} bytes: slots ${spellSlots(type, type.slots.keys())}; a set is ` +
      `${type.watches.length} histories`;
  for (let row = 0; row < rows.type.length; row++) yield* dumpHistory(histories, row);
  if (end !== null) yield `end ${JSON.stringify(end)}`;
}

function* dumpHistory(histories: Histories, row: number): Generator<string> {
  const { rows, elements, types, firstElement, run } = histories;
  const type = types[rows.type[row]];
  const partner = rows.partner[row] === 0 ? '' : `, with history ${rows.partner[row]}`;
  const watched = run.shareLines
    ? 'on a shared line'
    : `set ${rows.set[row] + 1}, watch ${rows.watch[row] + 1} of ${type.watches.length}: ` +
      `${spellSlots(type, type.watches[rows.watch[row]])}`;
  yield `history ${row + 1}: ${type.name} ${hex(rows.address[row])} ${rows.bytes[row]} bytes` +
    `${rows.element[row] > 0 ? ` at ${rows.element[row]}` : ''}, ${watched}${partner}`;
  yield `  allocated ${where(histories, rows.allocatedIp[row])} thread ${rows.allocatedThread[row]} cpu ` +
    `${rows.allocatedCpu[row]} time ${rows.allocatedNs[row]} stamp ${rows.allocatedStamp[row]}`;
  for (let at = firstElement[row]; at < firstElement[row + 1]; at++) {
    const field = fieldAt(type, elements.offset[at], elements.width[at]);
    const span = `${elements.offset[at]}+${elements.width[at]}`;
    yield `  ${span} ${where(histories, elements.ip[at])} thread ${elements.thread[at]} cpu ${elements.cpu[at]} time ` +
      `+${elements.timeNs[at] - rows.allocatedNs[row]}${field === '' ? '' : ` field ${field}`}`;
  }
  const ending = ENDINGS[rows.ending[row]];
  const by =
    rows.endedIp[row] === 0
      ? ''
      : ` ${where(histories, rows.endedIp[row])} thread ${rows.endedThread[row]} cpu ${rows.endedCpu[row]}`;
  yield `  ended by ${ending}${by} time +${rows.endedNs[row] - rows.allocatedNs[row]}`;
}

function spellSlots(type: HistoryType, numbers: Iterable<number>): string {
  return Array.from(numbers, (slot) => `${type.slots[slot].offset}+${type.slots[slot].bytes}`).join(' ');
}

function hex(address: number): string {
  return `0x${address.toString(16)}`;
}

function where(histories: Histories, ip: number): string {
  const place = histories.places.get(ip);
  return place === undefined || place.function === '' ? `ip ${hex(ip)}` : `ip ${hex(ip)} ${spellPlace(place)}`;
}

/** JSON, since names of files and functions are anything. */
function spellPlace(place: Place): string {
  return (
    `${JSON.stringify(place.function)}` +
    `${place.file === '' ? '' : ` ${JSON.stringify(`${place.file}:${place.line}`)}`}`
  );
}
