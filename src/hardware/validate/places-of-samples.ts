// Stage: validation. Instructions of samples -> modules and places: mappings say which file, debug information which
// function and line.

import type { MappedCode } from '../samples/mapped-code.js';
import type { SampleColumns, SampledEvent } from '../samples/samples.js';
import type { SampledModule, SampledPlace } from '../samples/typed-samples.js';

/** A question about one file: offsets of instructions in it, in hexadecimal. */
export interface CodeOfFile {
  readonly file: string;
  readonly offsets: readonly string[];
}

export interface LocatedCode {
  readonly found: boolean;
  readonly buildId: string;
  readonly hasLines: boolean;
  readonly isInstrumented: boolean;
  /** By offset. */
  readonly places: readonly Pick<SampledPlace, 'function' | 'within' | 'file' | 'line' | 'column'>[];
}

export type LocateCode = (asked: readonly CodeOfFile[]) => readonly LocatedCode[];

const NOWHERE = { function: '', within: '', file: '', line: 0, column: 0 };
const UNKNOWN: SampledPlace = { ip: '0', ...NOWHERE, module: -1, offset: 0 };

export class PlacesOfSamples {
  readonly modules: SampledModule[] = [];
  readonly places: SampledPlace[] = [UNKNOWN];
  /** Files that could not be asked, each with why. */
  readonly notes: Record<string, number> = {};

  constructor(
    private readonly mapped: MappedCode,
    private readonly locate: LocateCode,
    private readonly instrumented: ReadonlySet<string>,
  ) {}

  /** By sample, in the order of `own`, which is that of time. */
  placesOf(
    { ip, pid, time, event }: Pick<SampleColumns, 'ip' | 'pid' | 'time' | 'event'>,
    own: Uint32Array,
    events: readonly SampledEvent[],
  ): Uint32Array {
    const rowOf = new Map<string, number>();
    const moduleOf = new Map<string, number>();
    const isBehind = events.map(({ source }) => source === 'breakpoint');
    const place = Uint32Array.from(own, (row) => {
      // A debug register of x86 traps behind the access: the byte before is of its instruction.
      const at = isBehind[event[row]] ? ip[row] - 1n : ip[row];
      const mapping = ip[row] === 0n ? undefined : this.mapped.find(pid[row], at, time[row]);
      if (mapping === undefined) return 0;
      const { file, buildId, isKernel } = mapping.mapping;
      const moduleKey = `${buildId} ${file}`;
      let module = moduleOf.get(moduleKey);
      if (module === undefined)
        moduleOf.set(moduleKey, (module = this.modules.push({ file, buildId, isInstrumented: false, isKernel }) - 1));
      const key = `${module} ${mapping.offset}`;
      let known = rowOf.get(key);
      if (known === undefined)
        rowOf.set(
          key,
          (known = this.places.push({ ...UNKNOWN, ip: at.toString(16), module, offset: Number(mapping.offset) }) - 1),
        );
      return known;
    });
    this.name();
    return place;
  }

  private name(): void {
    const files = this.modules.flatMap((module, number) =>
      module.isKernel || !/^\/[^\n]*$/.test(module.file)
        ? []
        : [{ number, rows: this.places.flatMap((place, row) => (place.module === number ? [row] : [])) }],
    );
    const located = this.locate(
      files.map(({ number, rows }) => ({
        file: this.modules[number].file,
        offsets: rows.map((row) => this.places[row].offset.toString(16)),
      })),
    );
    files.forEach(({ number, rows }, index) => {
      const module = this.modules[number];
      const { found, buildId, hasLines, isInstrumented, places } = located[index];
      const isOther = module.buildId !== '' && buildId !== '' && module.buildId !== buildId;
      const why = !found
        ? 'is not here'
        : isOther
          ? 'is another build by now'
          : hasLines
            ? ''
            : 'has no debug information';
      if (why !== '') this.notes[`instructions in ${module.file}, which ${why}`] = rows.length;
      if (!found || isOther) return;
      this.modules[number] = {
        ...module,
        buildId: module.buildId || buildId,
        isInstrumented: isInstrumented || this.instrumented.has(module.file),
      };
      rows.forEach((row, at) => (this.places[row] = { ...this.places[row], ...places[at] }));
    });
  }
}
