// Two processes take turns by a set of two System V semaphores. The kernel refuses operations that it cannot read.
#include <errno.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int work;

static void change(int set, int number, int by) {
  struct sembuf operation = {(unsigned short)number, (short)by, 0};
  semop(set, &operation, 1);
}

int main(void) {
  int set = semget(IPC_PRIVATE, 2, 0600);
  if (fork() == 0) {
    for (int turn = 0; turn < 3; turn++) {
      change(set, 0, -1);
      work++;
      change(set, 1, 1);
    }
    _exit(0);
  }
  for (int turn = 0; turn < 3; turn++) {
    work++;
    change(set, 0, 1);
    change(set, 1, -1);
  }
  if (semop(set, (struct sembuf *)8, 1) != -1 || errno != EFAULT) return 1;
  wait(NULL);
  semctl(set, 0, IPC_RMID);
  return 0;
}
