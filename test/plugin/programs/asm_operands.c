// Memory operands of inline assembly are loads and stores of the operand's type, as the constraints say. Behind each line: its events, in order.
struct pair { long first, second; };
static struct pair pair = {1, 2};
static long one, more[4];
struct pair *volatile given = &pair;
long *volatile some = &one, *volatile others = more;

__attribute__((noinline)) static long operands(struct pair *p, long *plain, long *ints) {
  long result;
  __asm__ volatile("movq %1, %0" : "=r"(result) : "m"(p->second)); // load 8 struct pair .second @8
  __asm__ volatile("movq %1, %0" : "=m"(p->first) : "r"(result)); // store 8 struct pair .first
  __asm__ volatile("addq $1, %0" : "+m"(p->second)); // load 8 struct pair .second @8; store 8 struct pair .second @8
  __asm__ volatile("movq %1, %%rax; movq %%rax, %0" : "=m"(*plain) : "m"(p->first) : "rax"); // load 8 struct pair .first; store 8 long
  __asm__ volatile("" : "+m"(*p)); // nothing
  __asm__ volatile("nop" : : "m"(*p)); // load 16 struct pair
  __asm__ volatile("nop" : : "m"(*(long(*)[4])ints)); // load 32 long
  __asm__ goto("nop" : : "m"(p->first) : : out); // load 8 struct pair .first
  result++;
out:
  return result;
}

int main() {
  long result = operands(given, some, others);
  return result == 3 && pair.first == 2 && pair.second == 3 && one == 2 ? 0 : 1;
}
