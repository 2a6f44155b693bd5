// A kernel that waits for ever: waiting-kernel FOLDER, under examples/linux-kernel/calendar.c.
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { START = 1, WAIT = 3 };

struct message {
  uint32_t operation, sequence;
  uint64_t time;
};

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  struct sockaddr_un calendar = {.sun_family = AF_UNIX};
  struct message start = {START, 1, 0}, wait = {WAIT, 2, 0}, answer;
  snprintf(calendar.sun_path, sizeof calendar.sun_path, "%s/time", argv[1]);
  const int time = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(time, (struct sockaddr *)&calendar, sizeof calendar)) return 2;
  if (write(time, &start, sizeof start) != sizeof start || read(time, &answer, sizeof answer) != sizeof answer)
    return 2;
  if (write(time, &wait, sizeof wait) != sizeof wait) return 2;
  return read(time, &answer, sizeof answer) == 0 ? 0 : 2;
}
