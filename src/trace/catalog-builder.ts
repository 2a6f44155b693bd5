// Stage: trace -> replay. The units of all modules to one frozen Catalog: types merged by kind, name and size, everything else renumbered in
// order. A record whose words do not agree with its slots is refused here, so that nothing behind has to ask again.

import { SIZE_DYNAMIC, RecordFlag, RecordTag, SlotKind } from './layout.js';
import { TYPE_KINDS, type Catalog, type GlobalTable, type TypeTable } from './catalog.js';
import { buildLeafTable } from './leaf-table.js';
import type { ModuleChunk } from './module-chunk.js';
import { TraceError } from './trace-error.js';
import { readUnits, type Unit, type UnitFunction, type UnitMember, type UnitRecord, type UnitSlot, type UnitType, type UnitVariable } from './unit-reader.js';

const ARRAY = TYPE_KINDS.indexOf('array');
const MAX_LANES = 64;
const UNKNOWN_TYPE: UnitType = { name: '', kind: 0, sizeBytes: 0, element: 0, firstMember: 0, memberCount: 0, file: '', line: 0 };
const UNKNOWN_VARIABLE: UnitVariable = { name: '', type: 0, kind: 0, sizeBytes: 0, file: '', line: 0, function: 0 };
const UNKNOWN_FUNCTION: UnitFunction = { name: '', linkageName: '', file: '', line: 0 };

export function buildCatalog(modules: readonly ModuleChunk[]): Catalog {
  const builder = new CatalogBuilder();
  for (const module of modules) builder.addModule(module);
  return builder.freeze();
}

class CatalogBuilder {
  private readonly types: UnitType[] = [UNKNOWN_TYPE];
  private readonly members: UnitMember[] = [];
  private readonly variables: UnitVariable[] = [];
  private readonly functions: UnitFunction[] = [UNKNOWN_FUNCTION];
  private readonly slots: UnitSlot[] = [];
  private readonly records: UnitRecord[] = [];
  private readonly globals: { address: bigint; variable: number }[] = [];
  private readonly unitFirstVariable: number[] = [];
  private readonly typeByKey = new Map<string, number>();

  addModule(module: ModuleChunk): void {
    const firstUnit = this.unitFirstVariable.length;
    const units = readUnits(module.units);
    for (const unit of units) this.addUnit(unit);
    for (const global of module.globals) {
      if (global.unit >= units.length || global.variable >= units[global.unit].variables.length) {
        throw new TraceError(`global of module ${module.number}`, module.offset, `a variable of its ${units.length} units`, `variable ${global.variable} of unit ${global.unit}`);
      }
      this.globals.push({ address: global.address, variable: global.variable === 0 ? 0 : this.unitFirstVariable[firstUnit + global.unit] + global.variable });
    }
  }

  private addUnit(unit: Unit): void {
    const typeIds = this.addTypes(unit);
    // Row 0 of the first unit is the catalog's "unknown"; later units keep their zero rows, so that id = first + index.
    const firstVariable = this.variables.length;
    const variable = (index: number): number => (index === 0 ? 0 : firstVariable + index);
    const firstFunction = this.functions.length - 1;
    const functionId = (index: number): number => (index === 0 ? 0 : firstFunction + index);
    const firstSlot = this.slots.length;
    this.unitFirstVariable.push(firstVariable);
    for (const row of unit.functions.slice(1)) this.functions.push(row);
    for (const row of unit.variables.length === 0 ? [UNKNOWN_VARIABLE] : unit.variables) {
      this.variables.push({ ...row, type: typeIds[row.type] ?? 0, function: functionId(row.function) });
    }
    for (const row of unit.slots) this.slots.push({ ...row, type: typeIds[row.type] ?? 0, variable: variable(row.variable), function: functionId(row.function) });
    for (const row of unit.records) {
      checkRecord(row, unit.slots, this.records.length);
      this.records.push({ ...row, function: functionId(row.function), firstSlot: firstSlot + row.firstSlot });
    }
  }

  private addTypes(unit: Unit): number[] {
    const ids: number[] = [];
    const fresh: { id: number; row: UnitType }[] = [];
    unit.types.forEach((row, index) => {
      if (index === 0) return void ids.push(0);
      const key = row.name === '' ? `${row.kind} ${row.sizeBytes} ${row.file}:${row.line}` : `${row.kind} ${row.sizeBytes} ${row.name}`;
      let id = this.typeByKey.get(key);
      if (id === undefined || (this.types[id].memberCount === 0 && row.memberCount > 0)) {
        id ??= this.types.push(row) - 1;
        this.typeByKey.set(key, id);
        fresh.push({ id, row });
      }
      ids.push(id);
    });
    for (const { id, row } of fresh) {
      const firstMember = this.members.length;
      for (const member of unit.members.slice(row.firstMember, row.firstMember + row.memberCount)) this.members.push({ ...member, type: ids[member.type] });
      this.types[id] = { ...row, element: ids[row.element], firstMember };
    }
    return ids;
  }

  freeze(): Catalog {
    if (this.variables.length === 0) this.variables.push(UNKNOWN_VARIABLE);
    const { types, members, variables, functions, slots, records } = this;
    const typeTable: TypeTable = {
      count: types.length,
      name: types.map((row) => row.name),
      kind: Uint8Array.from(types, (row) => row.kind),
      sizeBytes: Float64Array.from(types, (row) => row.sizeBytes),
      element: Uint32Array.from(types, (row) => row.element),
      firstMember: Uint32Array.from(types, (row) => row.firstMember),
      memberCount: Uint32Array.from(types, (row) => row.memberCount),
      file: types.map((row) => row.file),
      line: Uint32Array.from(types, (row) => row.line),
    };
    const memberTable = {
      count: members.length,
      name: members.map((row) => row.name),
      type: Uint32Array.from(members, (row) => row.type),
      offsetBytes: Float64Array.from(members, (row) => row.offsetBytes),
      flags: Uint32Array.from(members, (row) => row.flags),
    };
    return {
      types: typeTable,
      members: memberTable,
      variables: {
        count: variables.length,
        name: variables.map((row) => row.name),
        type: Uint32Array.from(variables, (row) => row.type),
        kind: Uint8Array.from(variables, (row) => row.kind),
        sizeBytes: Float64Array.from(variables, (row) => row.sizeBytes),
        file: variables.map((row) => row.file),
        line: Uint32Array.from(variables, (row) => row.line),
        function: Uint32Array.from(variables, (row) => row.function),
      },
      functions: {
        count: functions.length,
        name: functions.map((row) => row.name),
        linkageName: functions.map((row) => row.linkageName),
        file: functions.map((row) => row.file),
        line: Uint32Array.from(functions, (row) => row.line),
      },
      slots: {
        count: slots.length,
        kind: Uint8Array.from(slots, (row) => row.kind),
        sizeBytes: Uint32Array.from(slots, (row) => row.sizeBytes),
        lanes: Uint16Array.from(slots, (row) => row.lanes),
        type: Uint32Array.from(slots, (row) => row.type),
        offset: Uint32Array.from(slots, (row) => row.offset),
        path: slots.map((row) => row.path),
        variable: Uint32Array.from(slots, (row) => row.variable),
        function: Uint32Array.from(slots, (row) => row.function),
        file: slots.map((row) => row.file),
        line: Uint32Array.from(slots, (row) => row.line),
        column: Uint16Array.from(slots, (row) => row.column),
      },
      records: {
        count: records.length,
        tag: Uint8Array.from(records, (row) => row.tag),
        flags: Uint8Array.from(records, (row) => row.flags),
        slotCount: Uint16Array.from(records, (row) => row.slotCount),
        words: Uint32Array.from(records, (row) => row.words),
        instructions: Uint32Array.from(records, (row) => row.instructions),
        function: Uint32Array.from(records, (row) => row.function),
        firstSlot: Uint32Array.from(records, (row) => row.firstSlot),
      },
      globals: this.freezeGlobals(),
      leaves: buildLeafTable(typeTable, memberTable),
      declared: Uint32Array.from(types, (_, id) => declaredType(types, id)),
      unitFirstVariable: Uint32Array.from(this.unitFirstVariable),
    };
  }

  private freezeGlobals(): GlobalTable {
    return {
      count: this.globals.length,
      address: BigUint64Array.from(this.globals, (row) => row.address),
      variable: Uint32Array.from(this.globals, (row) => row.variable),
    };
  }
}

/** An array of structs counts as its struct; arrays are folded, so one step is enough. */
function declaredType(types: readonly UnitType[], id: number): number {
  if (types[id].kind !== ARRAY) return id;
  const element = types[types[id].element];
  const isRecord = element.kind === TYPE_KINDS.indexOf('struct') || element.kind === TYPE_KINDS.indexOf('union') || element.kind === TYPE_KINDS.indexOf('class');
  return isRecord ? types[id].element : id;
}

function isAtomic(kind: number): boolean {
  return kind >= SlotKind.atomicLoad && kind <= SlotKind.atomicResult;
}

/** Words of a slot in the event stream; the stamp of an atomic included. */
export function slotWords(slot: { kind: number; sizeBytes: number; lanes: number }): number {
  switch (slot.kind) {
    case SlotKind.site:
      return 0;
    case SlotKind.atomicLoad:
    case SlotKind.atomicStore:
    case SlotKind.atomicUpdate:
    case SlotKind.atomicResult:
    case SlotKind.maskedLoad:
    case SlotKind.maskedStore:
      return 2;
    case SlotKind.copyStore:
    case SlotKind.fill:
      return slot.sizeBytes === SIZE_DYNAMIC ? 2 : 1;
    case SlotKind.gather:
    case SlotKind.scatter:
      return slot.lanes;
    default:
      return 1;
  }
}

function checkRecord(record: UnitRecord, unitSlots: readonly UnitSlot[], number: number): void {
  const refuse = (expected: string, actual: string): never => {
    throw new TraceError(`record ${number}`, 0, expected, actual);
  };
  if (record.tag < RecordTag.segment || record.tag > RecordTag.marker) refuse('a tag from 1 to 4', `${record.tag}`);
  const slots = unitSlots.slice(record.firstSlot, record.firstSlot + record.slotCount);
  const isStamped = (record.flags & RecordFlag.stamped) !== 0;
  let words = record.tag === RecordTag.allocation ? 2 : record.tag === RecordTag.free ? 1 : 0;
  slots.forEach((slot, index) => {
    words += slotWords(slot);
    const isLast = index === slots.length - 1;
    if (isAtomic(slot.kind) && !(isLast && isStamped)) refuse('an atomic only as the last slot of a STAMPED record', `slot ${index} of ${slots.length}`);
    if (isLast && isStamped && !isAtomic(slot.kind)) refuse('an atomic as the last slot of a STAMPED record', `slot kind ${slot.kind}`);
    if (slot.lanes > MAX_LANES) refuse(`at most ${MAX_LANES} lanes`, `${slot.lanes}`);
    if (slot.kind === SlotKind.copyLoad && slots[index + 1]?.kind !== SlotKind.copyStore) refuse('a COPY_STORE after a COPY_LOAD', `slot kind ${slots[index + 1]?.kind}`);
    if (slot.kind === SlotKind.copyStore && slots[index - 1]?.kind !== SlotKind.copyLoad) refuse('a COPY_LOAD before a COPY_STORE', `slot kind ${slots[index - 1]?.kind}`);
    if (slot.sizeBytes === SIZE_DYNAMIC && slot.kind !== SlotKind.copyStore && slot.kind !== SlotKind.fill && slot.kind !== SlotKind.copyLoad && slot.kind !== SlotKind.object && slot.kind !== SlotKind.site) {
      refuse('a fixed size', `slot kind ${slot.kind} of dynamic size`);
    }
  });
  if (isStamped && (slots.length === 0 || record.tag !== RecordTag.segment)) refuse('a STAMPED record with an atomic', `${slots.length} slots, tag ${record.tag}`);
  if (record.tag !== RecordTag.segment && slots.some((slot) => slot.kind !== SlotKind.site && slot.kind !== SlotKind.object)) refuse('no references outside segments', `tag ${record.tag}`);
  if (words !== record.words) refuse(`${words} words, as its slots have`, `${record.words}`);
}
