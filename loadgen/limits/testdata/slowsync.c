/* Makes every sync of a file take SYNC_MICROS longer, as a slow disk would: loaded into mongod by LD_PRELOAD. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void slow(void) {
  const char *micros = getenv("SYNC_MICROS");
  if (micros) usleep((useconds_t)atoi(micros));
}

int fsync(int file) {
  slow();
  return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  slow();
  return (int)syscall(SYS_fdatasync, file);
}
