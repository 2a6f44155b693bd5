// Stage: random IR. A module -> the text that LLVM 19 reads: all that modules may contain.
import {
  comparedBytes,
  type AccessFlags,
  type Block,
  type Data,
  type Instruction,
  type IrModule,
  type Operand,
  type Routine,
} from './module.js';
import { storeBytes, typeText, type ManyType, type Type } from './types.js';

const LAYOUT = 'e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128';

/** `stackAlign`: of all stack variables, at least. */
export function writeText(module: IrModule, stackAlign = 1): string {
  return new Writer(module, stackAlign).text();
}

const blockName = (block: Block): string => `%b${block.id}`;

function floatText(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return `0x${bytes.toString('hex').toUpperCase()}`;
}

function dataText(type: Type, data: Data): string {
  if (type.kind === 'int') return type.bits === 1 ? (data === 0n ? 'false' : 'true') : String(data);
  if (type.kind === 'float' || type.kind === 'double') return floatText(data as number);
  if (type.kind === 'ptr') return data === 0n ? 'null' : `inttoptr (i64 ${data} to ptr)`;
  const parts = (data as readonly Data[])
    .map((part, i) => {
      const of = type.kind === 'struct' ? type.fields[i] : (type as ManyType).of;
      return `${typeText(of)} ${dataText(of, part)}`;
    })
    .join(', ');
  if (type.kind === 'struct') return type.packed ? `<{ ${parts} }>` : `{ ${parts} }`;
  return type.kind === 'vector' ? `<${parts}>` : `[${parts}]`;
}

class Writer {
  readonly #declared = new Set<string>();

  constructor(
    private readonly module: IrModule,
    private readonly stackAlign: number,
  ) {}

  text(): string {
    const bodies = this.module.routines.map((routine) => this.routine(routine));
    return [
      `target datalayout = "${LAYOUT}"`,
      'target triple = "x86_64-pc-linux-gnu"',
      '',
      ...this.globals(),
      '',
      ...bodies,
      ...[...this.#declared].sort(),
      '',
    ].join('\n');
  }

  private globals(): string[] {
    const { globals } = this.module;
    const lines = globals.map(({ index, type, data, isLocal, functions }) => {
      const initial = functions ? `[${functions.map((f) => `ptr @f${f}`).join(', ')}]` : dataText(type, data);
      return (
        `@g${index} = ${isLocal ? 'internal ' : ''}${functions ? 'constant' : 'global'} ${typeText(type)} ` +
        `${initial}, align 64`
      );
    });
    const places = globals.map((global) => `{ ptr, i64 } { ptr @g${global.index}, i64 ${comparedBytes(global)} }`);
    lines.push(
      `@globals = constant [${globals.length} x { ptr, i64 }] [${places.join(', ')}]`,
      `@global_count = constant i64 ${globals.length}`,
    );
    return lines;
  }

  private routine(routine: Routine): string {
    const isEntry = routine === this.module.routines.at(-1);
    const parameters = routine.parameters.map((p) => `${typeText(p.type)} %v${p.id}`).join(', ');
    // LLVM 19 drops the result of a function of which nobody looks at it, and is left with a musttail call of another
    // type.
    const endsInTail = routine.blocks.some(({ instructions }) =>
      instructions.some((i) => i.op === 'call' && i.tail === 'musttail '),
    );
    const lines = [
      `define ${isEntry || endsInTail ? '' : 'internal '}i64 @${isEntry ? 'entry' : `f${routine.index}`}(` +
        `${parameters}) ${routine.attributes.join(' ')} {`,
    ];
    for (const block of routine.blocks) {
      lines.push(
        `b${block.id}:`,
        ...block.instructions.map((instruction) => `  ${this.instruction(instruction)}`),
        `  ${this.terminator(block)}`,
      );
    }
    return [...lines, '}', ''].join('\n');
  }

  private terminator({ terminator }: Block): string {
    switch (terminator!.op) {
      case 'branch':
        return `br label ${blockName(terminator!.to)}`;
      case 'if':
        return (
          `br ${this.typed(terminator!.condition)}, label ${blockName(terminator!.yes)}, label ` +
          `${blockName(terminator!.no)}`
        );
      case 'switch': {
        const { on, cases, otherwise } = terminator!;
        const labels = cases.map(({ value, to }) => `${typeText(on.type)} ${value}, label ${blockName(to)}`).join(' ');
        return `switch ${this.typed(on)}, label ${blockName(otherwise)} [ ${labels} ]`;
      }
      case 'return':
        return `ret ${this.typed(terminator!.value)}`;
    }
  }

  private instruction(instruction: Instruction): string {
    const { result } = instruction;
    return result ? `%v${result.id} = ${this.operation(instruction)}` : this.operation(instruction);
  }

  private operation(i: Instruction): string {
    switch (i.op) {
      case 'binary':
        return `${[i.which, ...i.flags].join(' ')} ${this.typed(i.a)}, ${this.plain(i.b)}`;
      case 'cast':
        return i.which === 'freeze'
          ? `freeze ${this.typed(i.a)}`
          : `${i.which} ${this.typed(i.a)} to ${typeText(i.result!.type)}`;
      case 'compare':
        return (
          `${i.a.type.kind === 'float' || i.a.type.kind === 'double' ? 'fcmp' : 'icmp'} ${i.which} ` +
          `${this.typed(i.a)}, ${this.plain(i.b)}`
        );
      case 'select':
        return `select ${this.typed(i.condition)}, ${this.typed(i.a)}, ${this.typed(i.b)}`;
      case 'phi':
        return (
          `phi ${typeText(i.result!.type)} ` +
          `${i.incoming.map(({ block, value }) => `[ ${this.plain(value)}, ${blockName(block)} ]`).join(', ')}`
        );
      case 'load':
        return (
          `load ${access(i.flags)}${typeText(i.result!.type)}, ${this.typed(i.pointer)}${order(i.flags)}, align ` +
          `${i.flags.align}`
        );
      case 'store':
        return (
          `store ${access(i.flags)}${this.typed(i.value)}, ${this.typed(i.pointer)}${order(i.flags)}, align ` +
          `${i.flags.align}`
        );
      case 'gep':
        return (
          `getelementptr ${i.inbounds ? 'inbounds ' : ''}${typeText(i.element)}, ` +
          `${[i.base, ...i.indices].map((o) => this.typed(o)).join(', ')}`
        );
      case 'alloca':
        return `alloca ${typeText(i.allocated)}, align ${Math.max(i.align, this.stackAlign)}`;
      case 'extractvalue':
        return `extractvalue ${this.typed(i.a)}, ${i.index}`;
      case 'insertvalue':
        return `insertvalue ${this.typed(i.a)}, ${this.typed(i.value)}, ${i.index}`;
      case 'extractelement':
        return `extractelement ${this.typed(i.a)}, ${this.typed(i.index)}`;
      case 'insertelement':
        return `insertelement ${this.typed(i.a)}, ${this.typed(i.value)}, ${this.typed(i.index)}`;
      case 'shuffle':
        return (
          `shufflevector ${this.typed(i.a)}, ${this.typed(i.b)}, <${i.lanes.length} x i32> <` +
          `${i.lanes.map((lane) => `i32 ${lane}`).join(', ')}>`
        );
      case 'copy': {
        const name = `@llvm.${i.which}.p0.p0.i64`;
        this.#declared.add(`declare void ${name}(ptr, ptr, i64, i1 immarg)`);
        return `call void ${name}(${this.typed(i.to)}, ${this.typed(i.from)}, ${this.typed(i.bytes)}, i1 false)`;
      }
      case 'fill':
        this.#declared.add('declare void @llvm.memset.p0.i64(ptr, i8, i64, i1 immarg)');
        return (
          `call void @llvm.memset.p0.i64(${this.typed(i.to)}, ${this.typed(i.byte)}, ${this.typed(i.bytes)}, i1 ` +
          'false)'
        );
      case 'masked':
        return this.masked(i);
      case 'update':
        return `atomicrmw ${i.which} ${this.typed(i.pointer)}, ${this.typed(i.value)} ${i.ordering}`;
      case 'exchange':
        return (
          `cmpxchg ${this.typed(i.pointer)}, ${this.typed(i.expected)}, ${this.typed(i.value)} ${i.ordering} ` +
          'monotonic'
        );
      case 'call': {
        const callee = typeof i.callee === 'number' ? `@f${i.callee}` : this.plain(i.callee);
        return `${i.tail}call i64 ${callee}(${i.args.map((a) => this.typed(a)).join(', ')})`;
      }
      case 'note':
        this.#declared.add('declare void @note(ptr)');
        return `call void @note(${this.typed(i.pointer)})`;
    }
  }

  private masked({ which, pointer, mask, value }: Extract<Instruction, { op: 'masked' }>): string {
    const many = value.type as ManyType;
    const suffix =
      `v${many.count}` +
      `${many.of.kind === 'int' ? `i${storeBytes(many.of) * 8}` : many.of.kind === 'float' ? 'f32' : 'f64'}`;
    const pointers = which === 'gather' || which === 'scatter';
    const name = `@llvm.masked.${which}.${suffix}.${pointers ? `v${many.count}p0` : 'p0'}`;
    const types = { many: typeText(many), pointer: typeText(pointer.type), mask: typeText(mask.type) };
    if (which === 'load' || which === 'gather') {
      this.#declared.add(`declare ${types.many} ${name}(${types.pointer}, i32 immarg, ${types.mask}, ${types.many})`);
      return `call ${types.many} ${name}(${this.typed(pointer)}, i32 1, ${this.typed(mask)}, ${this.typed(value)})`;
    }
    this.#declared.add(`declare void ${name}(${types.many}, ${types.pointer}, i32 immarg, ${types.mask})`);
    return `call void ${name}(${this.typed(value)}, ${this.typed(pointer)}, i32 1, ${this.typed(mask)})`;
  }

  private plain(operand: Operand): string {
    switch (operand.kind) {
      case 'value':
        return `%v${operand.id}`;
      case 'constant':
        return dataText(operand.type, operand.data);
      case 'global':
        return `@g${operand.index}`;
      case 'function':
        return `@f${operand.index}`;
      case 'poison':
        return 'poison';
    }
  }

  private typed(operand: Operand): string {
    return `${typeText(operand.type)} ${this.plain(operand)}`;
  }
}

const access = (flags: AccessFlags): string => `${flags.ordering ? 'atomic ' : ''}${flags.volatile ? 'volatile ' : ''}`;
const order = (flags: AccessFlags): string => (flags.ordering ? ` ${flags.ordering}` : '');
