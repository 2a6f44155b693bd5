// Stage: replay. What each worker thread starts with: it loads the worker's own file by import(). Piscina loads this one
// by require(), which takes modules as well; but if a thread is ended right then, Node 20 aborts all of the process.

import threads = require('node:worker_threads');

type Work = (task: object) => unknown;
const { file } = threads.workerData as { readonly file: string };
const work: Promise<Work> = import(file).then((loaded: { readonly default: Work }) => loaded.default);

export = work;
