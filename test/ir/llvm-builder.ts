// Stage: random IR. A module -> bitcode of LLVM 14, by its IR builder (the package llvm-bindings, which nothing but
// this needs). What that builder has no words for (see `Dialect`) is not in such modules. Pointers have types there:
// all are i8*, cast where they are used.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { ROOT } from '../real/real-program.js';
import { comparedBytes, type Block, type Instruction, type IrModule, type Operand, type Routine } from './module.js';
import { I32, I64, I8, typeText, type ManyType, type Type } from './types.js';

/** This build does without llvm-bindings' own declarations: the package may not be there. */
type Handle = any;

export function writeBitcode(module: IrModule, file: string): void {
  const llvm: Handle = createRequire(resolve(ROOT, 'test/ir/llvm-14/package.json'))('llvm-bindings');
  new Builder(llvm, module).write(file);
}

class Builder {
  readonly #context: Handle;
  readonly #module: Handle;
  readonly #build: Handle;
  readonly #byte: Handle;
  readonly #functions: Handle[] = [];
  readonly #globals: Handle[] = [];
  #values = new Map<number, Handle>();
  #blocks = new Map<Block, Handle>();

  constructor(
    private readonly llvm: Handle,
    private readonly module: IrModule,
  ) {
    this.#context = new llvm.LLVMContext();
    this.#module = new llvm.Module('random', this.#context);
    this.#module.setTargetTriple('x86_64-pc-linux-gnu');
    this.#module.setDataLayout('e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128');
    this.#build = new llvm.IRBuilder(this.#context);
    this.#byte = this.#build.getInt8PtrTy();
  }

  write(file: string): void {
    const { llvm, module } = this;
    const { ExternalLinkage, InternalLinkage } = llvm.Function.LinkageTypes ?? llvm.GlobalValue.LinkageTypes;
    for (const routine of module.routines) {
      const isEntry = routine === module.routines.at(-1);
      const type = this.signature(routine);
      this.#functions.push(
        llvm.Function.Create(
          type,
          isEntry ? ExternalLinkage : InternalLinkage,
          isEntry ? 'entry' : `f${routine.index}`,
          this.#module,
        ),
      );
      if (routine.attributes.includes('nounwind')) this.#functions.at(-1).setDoesNotThrow();
    }
    for (const global of module.globals) {
      const { type, data, functions, isLocal, index } = global;
      const members = functions
        ? functions.map((f) => llvm.ConstantExpr.getBitCast(this.#functions[f], this.#byte))
        : (type as ManyType).of.kind === 'int'
          ? (data as bigint[]).map((value) => this.integer((type as ManyType).of, value))
          : null;
      const initial = members
        ? llvm.ConstantArray.get(this.type(type), members)
        : llvm.Constant.getNullValue(this.type(type));
      this.#globals.push(
        new llvm.GlobalVariable(
          this.#module,
          this.type(type),
          functions !== null,
          isLocal ? InternalLinkage : ExternalLinkage,
          initial,
          `g${index}`,
        ),
      );
    }
    this.describeGlobals(ExternalLinkage);
    module.routines.forEach((routine) => this.routine(routine));
    if (llvm.verifyModule(this.#module)) throw new Error('LLVM 14 does not take the module');
    llvm.WriteBitcodeToFile(this.#module, file);
  }

  /** Writes the globals that harness.c reads. */
  private describeGlobals(linkage: number): void {
    const { llvm, module } = this;
    const place = llvm.StructType.get(this.#context, [this.#byte, this.type(I64)]);
    const places = module.globals.map((global) =>
      llvm.ConstantStruct.get(place, [
        llvm.ConstantExpr.getBitCast(this.#globals[global.index], this.#byte),
        this.integer(I64, BigInt(comparedBytes(global))),
      ]),
    );
    const table = llvm.ArrayType.get(place, places.length);
    new llvm.GlobalVariable(this.#module, table, true, linkage, llvm.ConstantArray.get(table, places), 'globals');
    new llvm.GlobalVariable(
      this.#module,
      this.type(I64),
      true,
      linkage,
      this.integer(I64, BigInt(places.length)),
      'global_count',
    );
  }

  private signature(routine: Routine): Handle {
    return this.llvm.FunctionType.get(
      this.type(I64),
      routine.parameters.map(({ type }) => this.type(type)),
      false,
    );
  }

  private type(type: Type): Handle {
    const { llvm } = this;
    switch (type.kind) {
      case 'int':
        return this.#build.getIntNTy(type.bits);
      case 'float':
        return this.#build.getFloatTy();
      case 'double':
        return this.#build.getDoubleTy();
      case 'ptr':
        return this.#byte;
      case 'array':
        return llvm.ArrayType.get(this.type(type.of), type.count);
      case 'struct':
        return llvm.StructType.get(
          this.#context,
          type.fields.map((field) => this.type(field)),
        );
      case 'vector':
        throw new Error(`${typeText(type)} is not for this builder`);
    }
  }

  private integer(type: Type, value: bigint): Handle {
    const { bits } = type as { bits: number } & Type;
    return this.llvm.ConstantInt.get(this.type(type), Number(BigInt.asIntN(bits, value)), true);
  }

  private routine(routine: Routine): void {
    this.#values = new Map();
    this.#blocks = new Map();
    const made = this.#functions[routine.index];
    routine.parameters.forEach(({ id }, i) => this.#values.set(id, made.getArg(i)));
    for (const block of routine.blocks)
      this.#blocks.set(block, this.llvm.BasicBlock.Create(this.#context, `b${block.id}`, made));
    for (const block of routine.blocks) {
      this.#build.SetInsertPoint(this.#blocks.get(block));
      for (const instruction of block.instructions) {
        const value = this.instruction(instruction);
        if (instruction.result) this.#values.set(instruction.result.id, value);
      }
      this.terminator(block);
    }
    for (const { instructions } of routine.blocks)
      for (const { op, result, ...rest } of instructions)
        if (op === 'phi' && 'incoming' in rest)
          for (const { block, value } of rest.incoming)
            this.#values.get(result!.id).addIncoming(this.operand(value), this.#blocks.get(block));
  }

  private terminator({ terminator }: Block): void {
    const to = (block: Block): Handle => this.#blocks.get(block);
    switch (terminator!.op) {
      case 'branch':
        this.#build.CreateBr(to(terminator!.to));
        return;
      case 'if':
        this.#build.CreateCondBr(this.operand(terminator!.condition), to(terminator!.yes), to(terminator!.no));
        return;
      case 'return':
        this.#build.CreateRet(this.operand(terminator!.value));
        return;
      case 'switch': {
        const { on, cases, otherwise } = terminator!;
        const made = this.#build.CreateSwitch(this.operand(on), to(otherwise), cases.length);
        for (const { value, to: target } of cases) made.addCase(this.integer(on.type, value), to(target));
      }
    }
  }

  private operand(operand: Operand): Handle {
    const { llvm } = this;
    switch (operand.kind) {
      case 'value':
        return this.#values.get(operand.id);
      case 'global':
        return llvm.ConstantExpr.getBitCast(this.#globals[operand.index], this.#byte);
      case 'function':
        return this.#functions[operand.index];
      case 'poison':
        return llvm.UndefValue.get(this.type(operand.type));
      case 'constant':
        if (operand.type.kind === 'ptr')
          return this.#build.CreateIntToPtr(this.integer(I64, operand.data as bigint), this.#byte);
        if (operand.type.kind === 'int') return this.integer(operand.type, operand.data as bigint);
        return llvm.ConstantFP.get(this.type(operand.type), operand.data as number);
    }
  }

  private pointerTo(element: Type, pointer: Operand): Handle {
    return this.#build.CreateBitCast(this.operand(pointer), this.llvm.PointerType.get(this.type(element), 0));
  }

  private instruction(i: Instruction): Handle {
    const build = this.#build;
    const [typeOf, o] = [(type: Type): Handle => this.type(type), (operand: Operand): Handle => this.operand(operand)];
    switch (i.op) {
      case 'binary':
        return build[BINARY[i.which]](o(i.a), o(i.b));
      case 'cast':
        return build[CASTS[i.which]](o(i.a), typeOf(i.result!.type));
      case 'compare':
        return build[
          `Create${i.a.type.kind === 'float' || i.a.type.kind === 'double' ? 'F' : 'I'}Cmp${i.which.toUpperCase()}`
        ](o(i.a), o(i.b));
      case 'select':
        return build.CreateSelect(o(i.condition), o(i.a), o(i.b));
      case 'phi':
        return build.CreatePHI(typeOf(i.result!.type), i.incoming.length);
      case 'load':
        return build.CreateLoad(typeOf(i.result!.type), this.pointerTo(i.result!.type, i.pointer));
      case 'store':
        return build.CreateStore(o(i.value), this.pointerTo(i.value.type, i.pointer));
      case 'gep':
        return build.CreateBitCast(
          build[i.inbounds ? 'CreateInBoundsGEP' : 'CreateGEP'](
            typeOf(i.element),
            this.pointerTo(i.element, i.base),
            i.indices.map(o),
          ),
          this.#byte,
        );
      case 'alloca':
        return build.CreateBitCast(build.CreateAlloca(typeOf(i.allocated)), this.#byte);
      case 'extractvalue':
        return build.CreateExtractValue(o(i.a), [i.index]);
      case 'insertvalue':
        return build.CreateInsertValue(o(i.a), o(i.value), [i.index]);
      case 'copy':
        return this.intrinsic(
          `llvm.${i.which}.p0i8.p0i8.i64`,
          [this.#byte, this.#byte, typeOf(I64)],
          [o(i.to), o(i.from), o(i.bytes)],
        );
      case 'fill':
        return this.intrinsic(
          'llvm.memset.p0i8.i64',
          [this.#byte, typeOf(I8), typeOf(I64)],
          [o(i.to), o(i.byte), o(i.bytes)],
        );
      case 'note':
        return build.CreateCall(
          this.#module.getOrInsertFunction('note', this.llvm.FunctionType.get(build.getVoidTy(), [this.#byte], false)),
          [o(i.pointer)],
        );
      case 'call': {
        const args = i.args.map(o);
        if (typeof i.callee === 'number') return build.CreateCall(this.#functions[i.callee], args);
        const type = this.llvm.FunctionType.get(typeOf(I64), [this.#byte, typeOf(I64), typeOf(I32)], false);
        return build.CreateCall(type, build.CreateBitCast(o(i.callee), this.llvm.PointerType.get(type, 0)), args);
      }
      default:
        throw new Error(`${i.op} is not for this builder`);
    }
  }

  /** The last operand says that it is not volatile. */
  private intrinsic(name: string, types: Handle[], args: Handle[]): Handle {
    const type = this.llvm.FunctionType.get(this.#build.getVoidTy(), [...types, this.#build.getInt1Ty()], false);
    return this.#build.CreateCall(this.#module.getOrInsertFunction(name, type), [...args, this.#build.getInt1(false)]);
  }
}

const BINARY: Readonly<Record<string, string>> = {
  add: 'CreateAdd',
  sub: 'CreateSub',
  mul: 'CreateMul',
  and: 'CreateAnd',
  or: 'CreateOr',
  xor: 'CreateXor',
  shl: 'CreateShl',
  lshr: 'CreateLShr',
  ashr: 'CreateAShr',
  udiv: 'CreateUDiv',
  urem: 'CreateURem',
  fadd: 'CreateFAdd',
  fsub: 'CreateFSub',
  fmul: 'CreateFMul',
};
const CASTS: Readonly<Record<string, string>> = {
  trunc: 'CreateTrunc',
  zext: 'CreateZExt',
  sext: 'CreateSExt',
  sitofp: 'CreateSIToFP',
  bitcast: 'CreateBitCast',
};
