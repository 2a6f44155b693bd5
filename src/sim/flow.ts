// Stage: replay. The data that a replay collects beside its counters: paths, residency, sets. docs/data-flow.md is the
// definition.

import type { FlowRequest, FlowTables } from '../contract/flow-result.js';
import type { PathStep } from './life.js';
import { MissBins } from './miss-bins.js';
import { ObjectLines } from './object-lines.js';
import type { Objects } from './objects.js';
import { LifePaths } from './life-paths.js';
import { Readings } from './readings.js';
import { Residency } from './residency.js';
import type { Sets } from './sets.js';
import type { SimObject } from './sim-object.js';

export class Flow {
  readonly residency = new Residency();
  readonly missBins = new MissBins();
  /** Replay time of the step under way: of a segment, before it. */
  private now = 0;
  private readonly paths: LifePaths;
  private readonly readings = new Readings();
  private readonly objectLines: ObjectLines;

  constructor(
    request: FlowRequest,
    sets: Sets,
    private readonly objects: Objects,
  ) {
    this.paths = new LifePaths(request, this.readings);
    this.objectLines = new ObjectLines(sets, this.readings);
  }

  beginStep(time: number): void {
    this.now = time;
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

  /** `time`: of its end, or of the run's. */
  endLife(object: SimObject, time: number): void {
    this.paths.endLife(object, this.objects.core, time);
  }

  /** The object is referenced no more, and its vote is known. */
  settle(object: SimObject): void {
    this.objectLines.settle(object);
  }

  /** A step, or the run, is over. */
  endStep(): void {
    this.paths.endStep();
  }

  /** A window begins. */
  restart(): void {
    this.paths.restart(this.objects.all);
    this.residency.restart();
    this.objectLines.restart();
    this.missBins.restart();
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
