// A stack variable whose address escapes is an object, from the entry of its function to each exit; others are none.
struct pair { int a, b; };
int *volatile kept;

__attribute__((noinline)) static int use(struct pair *p) {
  kept = &p->b;
  return p->a;
}

// marker outer entry frame
// object 8 struct pair local=escapes
// marker outer exit frame
__attribute__((noinline)) static int outer(int n) {
  struct pair escapes;
  int stays = n;
  escapes.a = stays;
  escapes.b = 2;
  return use(&escapes) + use(&escapes);
}

int main(int argc, char **argv) {
  return outer(argc) - 2 + (argv == 0);
}
