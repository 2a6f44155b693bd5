// Stage: replay. What a replay collects beside its counters: paths, residency, sets. docs/data-flow.md is the
// definition.

import type { FlowRequest, FlowTables } from '../replay/flow-result.js';
import type { Machine } from '../replay/machine.js';
import type { Life, PathStep } from './life.js';
import type { Lines } from './lines.js';
import { MissBins } from './miss-bins.js';
import { ObjectLines } from './object-lines.js';
import type { Objects } from './objects.js';
import { Paths } from './paths.js';
import { Readings } from './readings.js';
import { Residency } from './residency.js';
import type { SimObject } from './sim-object.js';

export class Flow {
  readonly residency: Residency;
  /** Replay time of the step under way: of a segment, before it. */
  private now = 0;
  private readonly paths: Paths;
  private readonly readings = new Readings();
  private readonly objectLines: ObjectLines;
  private readonly missBins: MissBins;

  constructor(
    request: FlowRequest,
    machine: Machine,
    lines: Lines,
    private readonly objects: Objects,
  ) {
    this.residency = new Residency(machine);
    this.missBins = new MissBins(machine);
    this.paths = new Paths(request, this.readings);
    this.objectLines = new ObjectLines(machine, lines, this.readings);
  }

  beginStep(time: number): void {
    this.now = this.residency.now = time;
  }

  /** To bytes of a line that belong to the object; returns the step of its path that it counts in. */
  reference(
    object: SimObject,
    slot: number,
    core: number,
    address: number,
    sizeBytes: number,
    line: number,
    server: number,
  ): PathStep {
    this.objectLines.reference(object, line);
    return this.paths.reference(object.life, slot, core, address - object.address, sizeBytes, server, this.now);
  }

  filled(
    label: number,
    life: Life | null,
    level: number,
    unit: number,
    frame: number,
    line: number,
    victim: number,
  ): void {
    this.missBins.add(level, label, frame);
    this.residency.filled(life, level, unit, frame, line, victim);
  }

  /** `time`: of its end, or of the run's. */
  endLife(object: SimObject, time: number): void {
    this.paths.endLife(object, this.objects.core, time);
  }

  /** The object is referenced no more, and its vote is known. */
  settle(object: SimObject): void {
    this.objectLines.settle(object);
  }

  endStep(): void {
    this.paths.endStep();
  }

  beginWindow(time: number): void {
    this.paths.restart(this.objects.all);
    this.residency.restart(time);
    this.objectLines.restart();
    this.missBins.restart();
  }

  /** The run is over, and all objects have ended with it. */
  finish(time: number): void {
    this.paths.endStep();
    this.residency.finish(time);
  }

  freeze(): FlowTables {
    const tables = {
      ...this.paths.freeze(),
      residency: this.residency.freeze(this.objects.all, this.readings),
      ...this.objectLines.freeze(),
      missBins: this.missBins.freeze(),
    };
    return { readings: this.readings.freeze(), ...tables };
  }
}
