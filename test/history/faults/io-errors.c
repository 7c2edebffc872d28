/*
 * Makes writes and syncs of the files below a folder fail with EIO, for a program that is started with this library in
 * LD_PRELOAD. FAULT_FOLDER is the folder. FAULT_FILE is a file with "KIND EVERY" while calls should fail:
 *
 *   write 3   every third write fails and writes nothing
 *   torn 3    every third write fails after it has written the first half
 *   sync 2    every second fsync or fdatasync fails
 *
 * There is no fault while the file does not exist.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int calls;

/* Reads the kind of fault; returns how often it occurs, or 0 for never. */
static int read_fault(char *kind) {
  const char *path = getenv("FAULT_FILE");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[64] = "";
  ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  int every = 0;
  if (size <= 0 || sscanf(text, "%15s %d", kind, &every) != 2) return 0;
  return every;
}

static int is_in_folder(int fd) {
  const char *folder = getenv("FAULT_FOLDER");
  if (folder == NULL) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return strncmp(path, folder, strlen(folder)) == 0;
}

/* True if this call has to fail. `kinds` are the faults that concern it. */
static int is_due(int fd, const char *kinds, char *kind) {
  int saved = errno;
  int every = read_fault(kind);
  int due = every > 0 && strstr(kinds, kind) != NULL && is_in_folder(fd) &&
            __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % every == 0;
  errno = saved;
  return due;
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name);

ssize_t write(int fd, const void *data, size_t size) {
  REAL(ssize_t, "write", int, const void *, size_t)
  char kind[16];
  if (!is_due(fd, "write torn", kind)) return real(fd, data, size);
  if (strcmp(kind, "torn") == 0) (void)!real(fd, data, size / 2);
  errno = EIO;
  return -1;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
  REAL(ssize_t, "pwrite", int, const void *, size_t, off_t)
  char kind[16];
  if (!is_due(fd, "write torn", kind)) return real(fd, data, size, offset);
  if (strcmp(kind, "torn") == 0) (void)!real(fd, data, size / 2, offset);
  errno = EIO;
  return -1;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t)
  char kind[16];
  if (!is_due(fd, "write torn", kind)) return real(fd, data, size, offset);
  if (strcmp(kind, "torn") == 0) (void)!real(fd, data, size / 2, offset);
  errno = EIO;
  return -1;
}

int fsync(int fd) {
  REAL(int, "fsync", int)
  char kind[16];
  if (!is_due(fd, "sync", kind)) return real(fd);
  errno = EIO;
  return -1;
}

int fdatasync(int fd) {
  REAL(int, "fdatasync", int)
  char kind[16];
  if (!is_due(fd, "sync", kind)) return real(fd);
  errno = EIO;
  return -1;
}
