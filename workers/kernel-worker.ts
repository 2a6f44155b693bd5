// Stage: kernel. Worker entry: what a kernel says of itself, one worker's part of it, or its end.

import {
  endOf,
  factsOf,
  workOn,
  type KernelEnd,
  type KernelModule,
  type KernelTask,
} from '../src/kernel/kernel-work.js';
import { answerLater, type WorkerAnswer } from '../src/replay/worker.js';

export default function run(task: KernelModule | KernelTask | KernelEnd): Promise<WorkerAnswer<unknown>> {
  return answerLater<unknown>(() => ('states' in task ? endOf(task) : 'port' in task ? workOn(task) : factsOf(task)));
}
