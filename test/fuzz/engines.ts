// One case through both engines: what they do not agree on.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DprofError } from '../../src/base/dprof-error.js';
import type { ReplayInput } from '../../src/contract/input.js';

import { replayInput, withKernelStores, type OpenedTrace } from '../../src/replay/open-trace.js';
import { flowRequest } from '../../src/replay/places.js';
import type { ReplayResult } from '../../src/contract/result.js';
import { simulate } from '../../src/sim/simulate.js';
import { buildCatalog } from '../../src/trace/catalog-builder.js';
import type { Catalog } from '../../src/contract/catalog.js';
import { readTrace } from '../../src/trace/trace-reader.js';
import type { Unit } from '../../src/trace/unit.js';
import { replayNatively } from '../engine/replay-natively.js';
import { differences } from '../engine/equal-results.js';
import { writeRun } from '../random/made-up-run.js';
import type { ReplayCase } from '../random/random-case.js';

export interface NamedEngine {
  readonly name: string;
  readonly replay: (input: ReplayInput) => ReplayResult;
}

export const SPECIFICATION: NamedEngine = { name: 'ts', replay: simulate };
const WORKERS = [1, 2, 4];
export const NATIVE: readonly NamedEngine[] = WORKERS.map((workers) => ({
  name: workers === 1 ? 'native' : `native, ${workers} workers`,
  replay: (input) => replayNatively(input, workers),
}));

/** Cases one after the other, each in the same file; the catalog of a program is made once. */
export class Comparison {
  readonly #folder = mkdtempSync(join(tmpdir(), 'dprof-fuzz-'));
  readonly #path = join(this.#folder, 'case.dptrace');
  #catalog: { readonly unit: Unit; readonly catalog: Catalog } | null = null;

  constructor(readonly engines: readonly NamedEngine[] = [SPECIFICATION, ...NATIVE]) {}

  input(one: ReplayCase): ReplayInput {
    writeFileSync(this.#path, writeRun(one.run));
    const { modules, ...rest } = readTrace(this.#path);
    if (this.#catalog?.unit !== one.run.unit) this.#catalog = { unit: one.run.unit, catalog: buildCatalog(modules) };
    // a smaller case may have fewer threads
    const cpus = one.cpus && { ...one.cpus, first: one.cpus.first.subarray(0, rest.threads.length) };
    const opened: OpenedTrace = { ...rest, modules, catalog: this.#catalog.catalog, cpus };
    const input = {
      ...replayInput(one.kernelStores ? withKernelStores(opened) : opened, one.machine, one.schedule),
      window: one.window,
      sharedVariables: one.sharedVariables,
    };
    if (one.flow === undefined) return input;
    return { ...input, flow: { ...one.flow, ...flowRequest(input.catalog, one.flow) } };
  }

  /** Each engine's result, or its reason to refuse. */
  outcomes(one: ReplayCase): (ReplayResult | DprofError)[] {
    const input = this.input(one);
    return this.engines.map(({ replay }) => {
      try {
        return replay(input);
      } catch (error) {
        if (error instanceof DprofError) return error;
        throw error;
      }
    });
  }

  /** Empty if all engines agree with the first. */
  differences(one: ReplayCase): string[] {
    const [expected, ...others] = this.outcomes(one);
    for (const [index, actual] of others.entries()) {
      const names = [this.engines[0].name, this.engines[index + 1].name] as const;
      if (expected instanceof DprofError || actual instanceof DprofError) {
        if (expected instanceof DprofError && actual instanceof DprofError) continue;
        return [expected, actual].map(
          (outcome, at) => `${names[at]}: ${outcome instanceof DprofError ? outcome.message : 'a result'}`,
        );
      }
      const found = differences(expected, actual, ...names);
      if (found.length > 0) return found;
    }
    return [];
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
