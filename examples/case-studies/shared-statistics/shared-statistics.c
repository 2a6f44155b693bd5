// A storage engine that counts what it does, as WiredTiger in the DINAMITE paper: every thread looks keys up in a tree, and with each look-up adds to
// some of the connection's statistics. They are added to without locks or atomics, since a lost update now and then does no harm; but
// all threads write the same lines all the time. -DAFTER: as WiredTiger mended it, a copy of the statistics for each thread (its slots),
// summed up by whoever wants to know.
#include "../cores.h"

#ifndef ROUNDS
#define ROUNDS 1000
#endif
#define BATCH 4
#define FANOUT 16
#define PAGES (1 + FANOUT)

struct connection_stats {
  _Alignas(LINE) volatile long cursor_search; // volatile: as if other code could look at any time
  volatile long cache_pages_requested;
  volatile long cache_bytes_read;
  volatile long session_operations;
};

struct page {
  long keys[FANOUT];
  struct page *children[FANOUT];
};

struct session {
  _Alignas(LINE) unsigned long random;
  struct page *page; // where its cursor is
  long found;
};

static struct page pages[PAGES];
static struct session sessions[MOST_CORES];
#ifdef AFTER
static struct connection_stats stats[MOST_CORES];
#define STATS(number) (&stats[number])
#else
static struct connection_stats stats;
#define STATS(number) (&stats)
#endif

/// Which of a page's keys is the last one not above it.
static int search_page(const struct page *page, long key) {
  int low = 0;
  for (int half = FANOUT / 2; half > 0; half /= 2)
    low += page->keys[low + half] <= key ? half : 0;
  return low;
}

static void page_in(struct session *session, struct connection_stats *counts, struct page *page) {
  counts->cache_pages_requested++;
  counts->cache_bytes_read += sizeof *page;
  session->page = page;
}

static void cursor_search(struct session *session, struct connection_stats *counts, long key) {
  counts->cursor_search++;
  page_in(session, counts, &pages[0]);
  int child = search_page(session->page, key);
  page_in(session, counts, session->page->children[child]);
  session->found += session->page->keys[search_page(session->page, key)] == key;
}

static void *run_session(void *argument) {
  long number = (long)argument;
  struct session *session = &sessions[number];
  session->random = (unsigned long)number + 1;
  meet();
  for (int round = 0; round < ROUNDS * BATCH; round++) {
    session->random = session->random * 6364136223846793005UL + 1442695040888963407UL;
    cursor_search(session, STATS(number), (long)(session->random >> 56));
    STATS(number)->session_operations++;
    dprof_mark("operation");
  }
  return NULL;
}

/// The number of threads; 4 if it is not said.
int main(int count, char **arguments) {
  int cores = count > 1 ? atoi(arguments[1]) : 4;
  if (cores < 1 || cores > MOST_CORES)
    return 2;
  for (long key = 0; key < FANOUT; key++) {
    pages[0].keys[key] = key * FANOUT;
    pages[0].children[key] = &pages[1 + key];
    for (long leaf = 0; leaf < FANOUT; leaf++)
      pages[1 + key].keys[leaf] = key * FANOUT + leaf;
  }
  double begin = seconds();
  run_on(cores, run_session);
  tell_rate("operations", (long)cores * ROUNDS * BATCH, begin);
  return 0;
}
