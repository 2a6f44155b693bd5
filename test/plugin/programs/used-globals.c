// Variables that must be kept though nobody names them, as a kernel's tables of settings are made.
struct setting {
  const char *name;
  int (*set)(char *);
};

#define SETTING(number)                                                                                                \
  static int set_##number(char *text) { return text[0] + number; }                                                     \
  int value_##number = number;                                                                                         \
  static const struct setting setting_##number __attribute__((used, section(".init.setup"))) = {"text", set_##number}; \
  static int calls_##number = number;                                                                                  \
  int count_##number(void) { return calls_##number++; }

SETTING(1) SETTING(2) SETTING(3) SETTING(4) SETTING(5) SETTING(6) SETTING(7) SETTING(8) SETTING(9)
