// Stage: kernel. Worker entry: what a kernel says of itself, one worker's part of it, or its end. An
// empty task is done when the worker has started.

import {
  endOf,
  factsOf,
  workOn,
  type KernelEnd,
  type KernelModule,
  type KernelTask,
} from '../src/kernel/kernel-work.js';
import { answerLater, type WorkerAnswer } from '../src/replay/worker.js';

type Task = KernelModule | KernelTask | KernelEnd;

export default async function run(task: Task | Record<string, never>): Promise<WorkerAnswer<unknown>> {
  return 'url' in task ? answerLater<unknown>(() => partOf(task as Task)) : { done: undefined };
}

function partOf(task: Task): Promise<unknown> {
  return 'states' in task ? endOf(task) : 'port' in task ? workOn(task) : factsOf(task);
}
