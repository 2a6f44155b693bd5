// A library of same-place.c: struct NAME, of which shared_table is an array, and a function that fills it.
struct NAME {
  FIELDS;
};
struct NAME shared_table[16];

static void NAME_work(int times) {
  for (int i = 0; i < times; i++) shared_table[i].value = i;
}
void work(int times) { NAME_work(times); }
