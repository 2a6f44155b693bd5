// A part of the kernel, arch/um/kernel/dprof_mark.c: what a program of the guest writes to /dev/dprof is a mark of the
// recording. docs/replay/windows.md.
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/uaccess.h>
#include "dprof.h"

enum { DPROF_MAJOR = 240 }; // the first for local use, of Documentation/admin-guide/devices.txt; also in initramfs.list

static ssize_t mark(struct file *file, const char __user *text, size_t bytes, loff_t *position) {
  char name[32] = "";
  if (bytes >= sizeof(name)) return -EINVAL;
  if (copy_from_user(name, text, bytes)) return -EFAULT;
  dprof_mark(name);
  return bytes;
}

static const struct file_operations mark_operations = {.write = mark};

static int __init make_device(void) { return register_chrdev(DPROF_MAJOR, "dprof", &mark_operations); }
device_initcall(make_device);
