// Stage: replay. References to paths: the steps of each life while it goes on, and when it has ended the row of its
// distinct path. docs/data-flow.md, "Paths".

import { NO_INDEX } from '../base/ids.js';
import {
  MOST_OPEN_STEPS,
  OTHER_PATH_COLUMNS,
  PATH_COLUMNS,
  PATH_ENDS,
  STEP_COLUMNS,
  type FlowRequest,
  type OtherPathTable,
  type PathTable,
  type StepTable,
} from '../contract/flow-result.js';
import { SERVERS } from '../contract/machine.js';
import type { Life, PathStep } from './life.js';
import type { Readings } from './readings.js';
import { ObjectKind, type SimObject } from './sim-object.js';
import { tableOf } from './table.js';

const [ALIVE, FREED, ENDED] = ['alive', 'freed', 'ended'].map((end) => (PATH_ENDS as readonly string[]).indexOf(end));
const FREED_ELSEWHERE = 1;
const CUT = 2;

/** A life that is over. */
interface EndedLife {
  readonly object: SimObject;
  readonly life: Life;
  readonly end: number;
  readonly flags: number;
  readonly length: number;
}

interface Step {
  readonly place: number;
  readonly changesCore: boolean;
  readonly served: number[];
  latencyCycles: number;
  /** The sum over all lives, which may exceed 2^53. */
  time: bigint;
  beginOffset: number;
  endOffset: number;
}

interface Path {
  readonly reading: number;
  readonly allocationSlot: number;
  readonly callPath: number;
  readonly end: number;
  readonly freeSlot: number;
  readonly flags: number;
  lives: number;
  lifetime: bigint;
  readonly steps: readonly Step[];
}

export class LifePaths {
  private readonly placeOf: Uint32Array;
  private readonly mostPaths: number;
  private readonly mostSteps: number;
  private readonly mostOpenSteps: number;
  /** Steps of a place, of lives that go on. */
  private openSteps = 0;
  /** During the step under way. */
  private readonly ended: EndedLife[] = [];
  private readonly paths = new Map<string, Path>();
  /** By reading. */
  private readonly others = new Map<number, { lives: number; references: number }>();

  constructor(
    { placeOf, mostPaths, mostSteps, mostOpenSteps = MOST_OPEN_STEPS }: FlowRequest,
    private readonly readings: Readings,
  ) {
    this.placeOf = placeOf;
    this.mostPaths = mostPaths;
    this.mostSteps = mostSteps;
    this.mostOpenSteps = mostOpenSteps;
  }

  /** To `sizeBytes` bytes from `offset` in the object on; returns the step that it counts in. */
  reference(
    life: Life,
    slot: number,
    core: number,
    offset: number,
    sizeBytes: number,
    server: number,
    now: number,
  ): PathStep {
    const step = this.stepOf(life, this.placeOf[slot], core, offset, now);
    life.lastCore = core;
    step.served[server]++;
    step.beginOffset = Math.min(step.beginOffset, offset);
    step.endOffset = Math.max(step.endOffset, offset + sizeBytes);
    return step;
  }

  /** The life ends now, or with the run; whoever ends it is on the core. */
  endLife(object: SimObject, core: number, now: number): void {
    const { life } = object;
    if (object.isLive)
      this.ended.push({ object, life, end: ALIVE, flags: life.isCut ? CUT : 0, length: now - life.beganAt });
    else {
      const isElsewhere = object.isFreed && core !== life.lastCore;
      const flags = (isElsewhere ? FREED_ELSEWHERE : 0) | (life.isCut ? CUT : 0);
      this.ended.push({
        object,
        life,
        end: object.isFreed ? FREED : ENDED,
        flags,
        length: life.endedAt - life.beganAt,
      });
    }
    this.openSteps -= life.steps.length - Number(life.isCut);
  }

  /** A step of a thread, or the run, is over: votes of objects that have ended are known. */
  endStep(): void {
    if (this.ended.length === 0) return;
    this.ended.sort((a, b) => a.object.number - b.object.number);
    for (const ended of this.ended) this.count(ended);
    this.ended.length = 0;
  }

  /** A window begins. */
  restart(objects: readonly SimObject[]): void {
    for (const { life } of objects) {
      life.steps = [];
      life.isCut = false;
    }
    this.openSteps = 0;
    this.paths.clear();
    this.others.clear();
  }

  freeze(): { paths: PathTable; steps: StepTable; otherPaths: OtherPathTable } {
    let next = 0;
    const paths = Array.from(this.paths.values(), (path) => {
      const firstStep = next;
      next += path.steps.length;
      return { ...path, lifetime: Number(path.lifetime), firstStep, steps: path.steps.length };
    });
    const steps = Array.from(this.paths.values(), (path) => path.steps).flat();
    const others = Array.from(this.others, ([reading, other]) => ({ reading, ...other }));
    return {
      paths: tableOf(paths, PATH_COLUMNS),
      steps: tableOf(
        steps.map((step) => ({ ...step, changesCore: Number(step.changesCore), time: Number(step.time) })),
        STEP_COLUMNS,
      ),
      otherPaths: tableOf(others, OTHER_PATH_COLUMNS),
    };
  }

  /** The step of the reference that comes, a new one or the last. */
  private stepOf(life: Life, place: number, core: number, offset: number, now: number): PathStep {
    const { steps } = life;
    const last = steps.at(-1);
    if (last !== undefined && (life.isCut || (last.place === place && last.core === core))) return last;
    life.isCut = steps.length >= this.mostSteps || this.openSteps >= this.mostOpenSteps;
    if (!life.isCut) this.openSteps++;
    const step: PathStep = {
      place: life.isCut ? NO_INDEX : place,
      core,
      changesCore: !life.isCut && core !== life.lastCore,
      time: now - life.beganAt,
      served: SERVERS.map(() => 0),
      latencyCycles: 0,
      beginOffset: offset,
      endOffset: offset,
    };
    steps.push(step);
    return step;
  }

  private count({ object, life, end, flags, length }: EndedLife): void {
    const reading = this.readings.of(object);
    const allocationSlot = object.kind === ObjectKind.heap ? object.allocationSlot : NO_INDEX;
    const callPath = object.kind === ObjectKind.heap ? object.callPath : 0;
    const freeSlot = end === FREED ? object.freeSlot : NO_INDEX;
    const key =
      `${reading} ${allocationSlot} ${callPath} ${end} ${freeSlot} ${flags} ` +
      `${life.steps.map(({ place, changesCore }) => `${changesCore ? '+' : ''}${place}`).join(' ')}`;
    let path = this.paths.get(key);
    if (path === undefined) {
      if (this.paths.size >= this.mostPaths) return this.countOther(reading, life);
      const steps = life.steps.map((step) => ({
        ...step,
        served: SERVERS.map(() => 0),
        latencyCycles: 0,
        time: 0n,
      }));
      this.paths.set(
        key,
        (path = { reading, allocationSlot, callPath, end, freeSlot, flags, lives: 0, lifetime: 0n, steps }),
      );
    }
    path.lives++;
    path.lifetime += BigInt(length);
    path.steps.forEach((step, index) => add(step, life.steps[index]));
  }

  private countOther(reading: number, { steps }: Life): void {
    const other = this.others.get(reading) ?? { lives: 0, references: 0 };
    other.lives++;
    for (const { served } of steps) for (const count of served) other.references += count;
    this.others.set(reading, other);
  }
}

function add(to: Step, step: PathStep): void {
  step.served.forEach((count, server) => (to.served[server] += count));
  to.latencyCycles += step.latencyCycles;
  to.time += BigInt(step.time);
  to.beginOffset = Math.min(to.beginOffset, step.beginOffset);
  to.endOffset = Math.max(to.endOffset, step.endOffset);
}
