// A small server: for each request a thread of a pool fills a job, and a forked child does it too, for its own copy: that one is not watched. Jobs are
// handed from the thread that reads to those that work by a queue, and come from an allocator with a header.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct job {
  struct job *next;
  long number, answer;
  char text[24];
};

__attribute__((noinline)) static void *allocate(size_t bytes) {
  size_t *p = malloc(bytes + 16);
  if (!p) return NULL;
  p[0] = bytes;
  return p + 2;
}
__attribute__((noinline)) static void give_back(void *p) { free((size_t *)p - 2); }

__attribute__((noinline)) static struct job *make_job(long number) {
  struct job *job = allocate(sizeof *job);
  if (job) job->number = number;
  return job;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct job *first, *done;
static int is_over;

static void work(struct job *job) {
  job->answer = 0;
  for (size_t i = 0; i < strlen(job->text); i++) job->answer += job->text[i] - '0';
  job->answer += 100 * job->number;
}

static void *worker(void *nothing) {
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!first && !is_over) pthread_cond_wait(&changed, &lock);
    if (!first) break;
    struct job *job = first;
    first = job->next;
    pthread_mutex_unlock(&lock);
    work(job);
    pthread_mutex_lock(&lock);
    job->next = done;
    done = job;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return nothing;
}

int main(void) {
  int pair[2];
  pthread_t threads[3];
  long sum = 0, children = 0;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 1;
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, NULL);
  for (long i = 0; i < 24; i++) {
    char request[24] = "";
    snprintf(request, sizeof request, "%ld", i * 7919);
    if (write(pair[0], request, sizeof request) != sizeof request) return 1;
    struct job *job = make_job(i);
    if (read(pair[1], job->text, sizeof job->text) != sizeof job->text) return 1;
    if (i % 8 == 0) {
      const pid_t child = fork();
      if (child == 0) {
        work(job);
        _exit((int)(job->answer % 100));
      }
      int status;
      waitpid(child, &status, 0);
      children += WEXITSTATUS(status);
    }
    pthread_mutex_lock(&lock);
    job->next = first;
    first = job;
    pthread_cond_broadcast(&changed);
    while (!done) pthread_cond_wait(&changed, &lock);
    job = done;
    done = job->next;
    pthread_mutex_unlock(&lock);
    sum += job->answer;
    give_back(job);
  }
  pthread_mutex_lock(&lock);
  is_over = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  printf("%ld %ld\n", sum, children);
  return 0;
}
