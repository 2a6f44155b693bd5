// Stage: kernel. Process entry: a kernel in C over all references of a trace.

import type { NativeKernelTask } from '../src/cli/kernel-command.js';
import { streamInput } from '../src/cli/stream-input.js';
import { answerTask } from '../src/kernel/kernel-process.js';
import { runNativeKernel } from '../src/kernel/native-kernel.js';
import { answerLater } from '../src/replay/worker.js';

answerTask(({ kernel, paths, request }: NativeKernelTask, beat) =>
  answerLater(async () => {
    const { input } = await streamInput(paths, request);
    return runNativeKernel({ ...input, progress: beat }, kernel, request.workers);
  }),
);
