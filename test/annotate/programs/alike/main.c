long run_a(int); long run_b(int);
int main(void) { return run_a(1000) + run_b(1000) == 0; }
