// A sink for `dprof record --sink`: loads and stores by type, written to the file that -o names, and how many allocations there were.
#include <dprof/sink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TYPES = 4096 };

struct counts {
  FILE *file;
  const char *type[MOST_TYPES];
  unsigned long loads[MOST_TYPES], stores[MOST_TYPES], allocations;
};

static void *open_counts(const char *argument, const struct dprof_sink_process *process) {
  struct counts *counts = calloc(1, sizeof *counts);
  counts->file = fopen(argument, "w");
  if (!counts->file) return NULL;
  fprintf(counts->file, "%s\n", process->arguments[0]);
  return counts;
}

static int count_records(void *sink, const struct dprof_sink_record *records, size_t count) {
  struct counts *counts = sink;
  for (size_t i = 0; i < count; i++) {
    if (!records[i].site || records[i].kind > DPROF_SINK_ATOMIC) continue;
    int at = 0;
    while (at < MOST_TYPES - 1 && counts->type[at] && strcmp(counts->type[at], records[i].site->type)) at++;
    counts->type[at] = records[i].site->type; // valid until close
    if (records[i].kind == DPROF_SINK_LOAD) counts->loads[at]++;
    else counts->stores[at]++;
  }
  return 0;
}

static int count_allocations(void *sink, const struct dprof_sink_record *records, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (records[i].kind == DPROF_SINK_ALLOCATE && records[i].site) ((struct counts *)sink)->allocations++;
  return 0;
}

static void close_counts(void *sink, const char *end) {
  struct counts *counts = sink;
  for (int at = 0; at < MOST_TYPES && counts->type[at]; at++)
    fprintf(counts->file, "%s: %lu loads, %lu stores\n", counts->type[at], counts->loads[at], counts->stores[at]);
  fprintf(counts->file, "%lu allocations\n%s\n", counts->allocations, end);
  fclose(counts->file);
  free(counts);
}

const struct dprof_sink_functions dprof_sink = {
    .version = DPROF_SINK_VERSION,
    .open = open_counts,
    .records = count_records,
    .allocations = count_allocations,
    .close = close_counts,
};
