// Every named variable defined here is told to the runtime:
// global counter: int, 4 bytes
// global grid: double[], 64 bytes
// global point: struct point, 8 bytes
// global hidden: struct point[], 24 bytes
// global inner: long, 8 bytes
// thread-local own: struct point, 8 bytes
// thread-local count: int, 4 bytes
struct point { int x, y; };
extern int elsewhere;
int counter = 1;
double grid[2][4];
struct point point;
static struct point hidden[3];
_Thread_local struct point own;
static _Thread_local int count;

int main(int argc, char **argv) {
  static long inner;
  inner += argc;
  hidden[argc].x = own.x + ++count;
  point = hidden[argc];
  const char *text = "a literal has no name";
  return text[argc] == 0 || argv == 0 || grid[0][argc] + counter + inner < 2;
}
