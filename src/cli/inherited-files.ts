// Stage: command line. The open files of this process -> those that it was given. Node closes all but the standard ones
// in what it starts.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** By descriptor what is open: a path, `pipe:[inode]`, `anon_inode:[eventpoll]`. */
function openFiles(process: string): Map<number, string> {
  const folder = `/proc/${process}/fd`;
  const found = new Map<number, string>();
  try {
    for (const name of readdirSync(folder)) {
      try {
        found.set(Number(name), readlinkSync(`${folder}/${name}`));
      } catch {
        // The descriptor that the folder was read through.
      }
    }
  } catch {
    // No /proc, or another user's process.
  }
  return found;
}

/** Whether the descriptor, of this process, can be written to. */
function isForWriting(descriptor: number): boolean {
  const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '0';
  return (parseInt(flags, 8) & 3) !== 0;
}

/**
 * Beside 0, 1 and 2. Node's own are event queues, and pipes that it both reads and writes and that are in no other
 * process: a pipe that was given whole, as make gives its job server's, is the parent's as well.
 */
export function inheritedFiles(): number[] {
  const own = [...openFiles('self')];
  const parents = new Set(openFiles(String(process.ppid)).values());
  const isWhole = (pipe: string): boolean =>
    new Set(own.filter(([, file]) => file === pipe).map(([descriptor]) => isForWriting(descriptor))).size > 1;
  const isOwn = (file: string): boolean =>
    file.startsWith('anon_inode:') || (file.startsWith('pipe:') && isWhole(file) && !parents.has(file));
  return own
    .filter(([descriptor, file]) => descriptor > 2 && !isOwn(file))
    .map(([descriptor]) => descriptor)
    .toSorted((a, b) => a - b);
}

/** For `spawn`: the same descriptors, by the same numbers. */
export function sameFiles(descriptors = inheritedFiles()): (number | 'ignore')[] {
  const files: (number | 'ignore')[] = [0, 1, 2];
  for (const descriptor of descriptors.toSorted((a, b) => a - b)) {
    while (files.length < descriptor) files.push('ignore');
    files.push(descriptor);
  }
  return files;
}

/**
 * Node raises the soft limit of open files to the hard one, for what it starts too. What it was is nowhere to be read;
 * as a rule it was the parent's, if that has the same hard limit.
 */
export function fileLimit(): { DPROF_FILES?: string } {
  const [ours, parents] = ['self', process.ppid].map((id) => {
    try {
      return /^Max open files\s+(\S+)\s+(\S+)/m.exec(readFileSync(`/proc/${id}/limits`, 'utf8'));
    } catch {
      return null; // no /proc, or another user's process
    }
  });
  return ours && parents && ours[2] === parents[2] ? { DPROF_FILES: parents[1]! } : {};
}
