// Stage: kernel. Worker entry: one worker's part of a kernel, or its end.

import { endOf, workOn, type KernelEnd, type KernelTask } from '../src/kernel/kernel-work.js';
import { answerLater, type WorkerAnswer } from '../src/replay/worker.js';

export default function run(task: KernelTask | KernelEnd): Promise<WorkerAnswer<unknown>> {
  return answerLater(() => ('states' in task ? endOf(task) : workOn(task)));
}
