// Stage: recorder. -o text: one record per line for people and for awk: thread, kind, address, size, where. An
// implementation of dprof/sink.h like any other.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "dprof/abi.h"
#include "record_sink.h"

namespace dprof {
namespace {

const char *const kinds[] = {"?",      "load",         "store",   "atomic", "object", "allocate",
                             "free",   "release",      "acquire", "start",  "end",    "blocked",
                             "unseen", "kernel-store", "signal",  "lost",   "mark"};
const char *const marks[] = {"?", "phase", "closed", "opened", "dropped"};

void *open_stream(const char *path, const dprof_sink_process *process) {
  FILE *file = *path ? fopen(path, "we") : fdopen(dup(STDOUT_FILENO), "w");
  if (!file) return nullptr;
  fprintf(file, "# process %" PRIu32, process->pid);
  for (uint32_t i = 0; i < process->argument_count; i++) fprintf(file, " %s", process->arguments[i]);
  fputc('\n', file);
  return file;
}

void print_mark(FILE *file, const dprof_sink_record &mark) {
  const char *kind = mark.detail < sizeof marks / sizeof marks[0] ? marks[mark.detail] : marks[0];
  fprintf(file, "%" PRIu32 " mark %s", mark.thread, kind);
  if (mark.detail == DPROF_MARK_DROPPED) fprintf(file, " %" PRIu64 " words", mark.size);
  const char *text = (const char *)mark.address;
  if (*text) fputc(' ', file);
  for (; *text; text++) fputc((unsigned char)*text < ' ' ? ' ' : *text, file); // one line
  fputc('\n', file);
}

int print_records(void *sink, const dprof_sink_record *records, size_t count) {
  FILE *file = (FILE *)sink;
  for (const dprof_sink_record *r = records; r < records + count; r++) {
    if (r->kind == DPROF_SINK_MARK) {
      print_mark(file, *r);
      continue;
    }
    const char *kind = r->kind < sizeof kinds / sizeof kinds[0] ? kinds[r->kind] : "?";
    fprintf(file, "%" PRIu32 " %s %" PRIx64 " %" PRIu64, r->thread, kind, r->address, r->size);
    if (const dprof_sink_site *site = r->site) {
      const char *name = *site->type ? site->type : *site->variable ? site->variable : "-";
      fprintf(file, " %s%s%s %s %s:%" PRIu32, name, *site->field ? "." : "", site->field,
              *site->function ? site->function : "-", *site->file ? site->file : "-", site->line);
    } else if (r->detail) {
      fprintf(file, " detail %u", r->detail);
    }
    fputc('\n', file);
  }
  return fflush(file) == 0 ? 0 : errno;
}

void close_stream(void *sink, const char *end) {
  FILE *file = (FILE *)sink;
  fprintf(file, "# end %s\n", end);
  fclose(file);
}

} // namespace

const dprof_sink_functions text_sink = {DPROF_SINK_VERSION, 0,       open_stream, nullptr,
                                        print_records,      nullptr, close_stream};

} // namespace dprof
