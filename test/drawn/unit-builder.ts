// Builds one unit for made-up traces: rows are added by name and come back as indices.

import { RecordFlag, RecordTag, SIZE_DYNAMIC, SlotKind, VariableKind } from '../../src/trace/layout.js';
import { TYPE_KINDS } from '../../src/contract/catalog.js';
import { slotWords } from '../../src/trace/unit-rules.js';
import { addRegion } from './region-builder.js';
import type { Unit, UnitSlot } from '../../src/trace/unit.js';

export interface SlotOptions {
  readonly sizeBytes?: number;
  readonly type?: number;
  readonly path?: string;
  readonly variable?: number;
  readonly lanes?: number;
  readonly line?: number;
  readonly offset?: number;
  readonly function?: number;
  readonly base?: number;
  readonly delta?: number;
  readonly inlinedAt?: number;
}

export interface MemberOptions {
  readonly name: string;
  readonly type: number;
  readonly offset: number;
  readonly flags?: number;
  readonly bits?: number;
}

export class UnitBuilder {
  readonly unit: Unit = {
    source: 'drawn.c',
    types: [{ name: '', kind: 0, sizeBytes: 0, element: 0, firstMember: 0, memberCount: 0, file: '', line: 0 }],
    members: [],
    variables: [{ name: '', type: 0, kind: 0, sizeBytes: 0, alignment: 0, file: '', line: 0, function: 0 }],
    functions: [{ name: '', linkageName: '', file: '', line: 0 }],
    slots: [],
    records: [],
    regions: [],
    nodes: [],
    edges: [],
    refusals: [],
    positions: [{ function: 0, file: '', line: 0, column: 0, inlinedAt: 0, receiver: '' }],
    calls: [{ function: 0, position: 0, callee: '' }],
    systemFiles: [],
  };

  type(
    kind: (typeof TYPE_KINDS)[number],
    name: string,
    sizeBytes: number,
    more: { element?: number; members?: readonly MemberOptions[] } = {},
  ): number {
    const { element = 0, members = [] } = more;
    const firstMember = this.unit.members.length;
    for (const { name: member, type, offset, flags = 0, bits = 0 } of members)
      this.unit.members.push({ name: member, type, offsetBytes: offset, flags, bits });
    return (
      this.unit.types.push({
        name,
        kind: TYPE_KINDS.indexOf(kind),
        sizeBytes,
        element,
        firstMember,
        memberCount: members.length,
        file: 'drawn.h',
        line: this.unit.types.length,
      }) - 1
    );
  }

  variable(kind: keyof typeof VariableKind, name: string, type: number, sizeBytes: number): number {
    return (
      this.unit.variables.push({
        name,
        type,
        kind: VariableKind[kind],
        sizeBytes,
        alignment: kind === 'global' ? 4 : 0,
        file: 'drawn.c',
        line: this.unit.variables.length,
        function: 0,
      }) - 1
    );
  }

  function(name: string): number {
    return this.unit.functions.push({ name, linkageName: name, file: 'drawn.c', line: this.unit.functions.length }) - 1;
  }

  position(
    function_: number,
    line: number,
    more: { inlinedAt?: number; receiver?: string; file?: string } = {},
  ): number {
    const { inlinedAt = 0, receiver = '', file = 'drawn.c' } = more;
    return this.unit.positions.push({ function: function_, file, line, column: 1, inlinedAt, receiver }) - 1;
  }

  call(function_: number, callee: string, position: number): number {
    return this.unit.calls.push({ function: function_, position, callee }) - 1;
  }

  slot(kind: keyof typeof SlotKind, options: SlotOptions = {}): UnitSlot {
    return {
      kind: SlotKind[kind],
      sizeBytes: options.sizeBytes ?? 8,
      lanes: options.lanes ?? 1,
      type: options.type ?? 0,
      offset: options.offset ?? 0,
      path: options.path ?? '',
      variable: options.variable ?? 0,
      function: options.function ?? 0,
      file: 'drawn.c',
      line: options.line ?? 0,
      column: 1,
      base: options.base ?? 0,
      delta: options.delta ?? 0,
      inlinedAt: options.inlinedAt ?? 0,
    };
  }

  record(
    tag: keyof typeof RecordTag,
    slots: readonly UnitSlot[],
    more: { instructions?: number; flags?: number; function?: number; call?: number } = {},
  ): number {
    const firstSlot = this.unit.slots.length;
    this.unit.slots.push(...slots);
    const last = slots.at(-1);
    const isStamped = last !== undefined && last.kind >= SlotKind.atomicLoad && last.kind <= SlotKind.atomicResult;
    const siteWords = tag === 'allocation' ? 2 : tag === 'free' ? 1 : 0;
    return (
      this.unit.records.push({
        tag: RecordTag[tag],
        flags: (more.flags ?? 0) | (isStamped ? RecordFlag.stamped : 0),
        slotCount: slots.length,
        words: siteWords + slots.reduce((words, slot) => words + slotWords(slot), 0),
        instructions: tag === 'segment' ? (more.instructions ?? 1) : 0,
        function: more.function ?? 0,
        firstSlot,
        call: more.call ?? 0,
      }) - 1
    );
  }

  /** A record that is a region of its own: the number of its path. */
  alone(...record: Parameters<UnitBuilder['record']>): number {
    return addRegion(this.unit, [{ records: [this.record(...record)] }]);
  }
}

export const DYNAMIC = SIZE_DYNAMIC;
