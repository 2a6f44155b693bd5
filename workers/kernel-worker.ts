// Stage: kernel. Worker entry: one worker's part of a kernel.

import { workOn, type KernelTask } from '../src/kernel/kernel-work.js';
import { answerLater, type WorkerAnswer } from '../src/replay/worker.js';

export default function run(task: KernelTask): Promise<WorkerAnswer<unknown>> {
  return answerLater(() => workOn(task));
}
