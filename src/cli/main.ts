// Stage: command line. What bin/dprof starts.

import { runCommand } from './command-line.js';

await runCommand(process.argv.slice(2));
