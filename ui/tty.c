/* Raw mode and non-blocking output of one terminal device. */
#include "tty.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "squeeze.h"

int tty_open(struct tty *tty, const char *path)
{
    *tty = (struct tty){.fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)};
    if (tty->fd < 0)
        return -errno;
    if (tcgetattr(tty->fd, &tty->saved) < 0) {
        int error = errno;
        tty_close(tty);
        return -error;
    }
    return 0;
}

int tty_raw(struct tty *tty)
{
    struct termios raw = tty->saved;
    cfmakeraw(&raw);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    return tcsetattr(tty->fd, TCSANOW, &raw) < 0 ? -errno : 0;
}

/* Not TCSADRAIN: a terminal that stalls would hold us. */
void tty_cooked(struct tty *tty)
{
    tcsetattr(tty->fd, TCSANOW, &tty->saved);
}

void tty_close(struct tty *tty)
{
    if (tty->fd >= 0)
        close(tty->fd);
    free(tty->pending);
    *tty = (struct tty){.fd = -1};
}

void tty_size(const struct tty *tty, int *width, int *height)
{
    struct winsize size;
    if (ioctl(tty->fd, TIOCGWINSZ, &size) < 0)
        return;
    if (size.ws_col > 0)
        *width = size.ws_col;
    if (size.ws_row > 0)
        *height = size.ws_row;
}

/* Room behind the pending bytes. */
static char *tty_reserve(struct tty *tty, size_t length)
{
    if (tty->begin > 0) {
        memmove(tty->pending, tty->pending + tty->begin, tty->end - tty->begin);
        tty->end -= tty->begin;
        tty->begin = 0;
    }
    size_t wanted = tty->end + length;
    if (wanted > tty->size || !tty->pending) {
        char *grown = realloc(tty->pending, wanted + 1);
        if (!grown)
            return NULL;
        tty->pending = grown;
        tty->size = wanted;
    }
    return tty->pending + tty->end;
}

int tty_add(struct tty *tty, const char *bytes, size_t length)
{
    char *to = tty_reserve(tty, length);
    if (!to)
        return -ENOMEM;
    memcpy(to, bytes, length);
    tty->end += length;
    return 0;
}

FILE *tty_memory(void)
{
    int fd = memfd_create("lockstep-screen", MFD_CLOEXEC);
    if (fd < 0)
        return tmpfile();
    FILE *file = fdopen(fd, "w+");
    if (!file)
        close(fd);
    return file;
}

int tty_take(struct tty *tty, int file)
{
    off_t length = lseek(file, 0, SEEK_END);
    if (length < 0)
        return -errno;
    char *to = tty_reserve(tty, (size_t)length);
    if (!to)
        return -ENOMEM;
    ssize_t count = pread(file, to, (size_t)length, 0);
    if (count < 0 || ftruncate(file, 0) < 0 || lseek(file, 0, SEEK_SET) < 0)
        return -errno;
    tty->end += squeeze(to, (size_t)count);
    return 0;
}

int tty_flush(struct tty *tty, size_t *ret_bytes)
{
    while (tty->begin < tty->end) {
        ssize_t count = write(tty->fd, tty->pending + tty->begin, tty->end - tty->begin);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno == EAGAIN ? 0 : -errno;
        tty->begin += (size_t)count;
        *ret_bytes += (size_t)count;
    }
    tty->begin = tty->end = 0;
    return 0;
}

bool tty_wants_write(const struct tty *tty)
{
    return tty->begin < tty->end;
}

void tty_discard(struct tty *tty)
{
    tcflush(tty->fd, TCOFLUSH);
    tty->begin = tty->end = 0;
}
