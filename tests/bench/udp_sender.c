/* Sends step records over UDP at an even pace, one to a datagram, many datagrams
 * to a call. udp_sender PORT RANKS STEPS RATE [BATCH]: RATE records a second, 0: all at
 * once. Prints how many it sent and in how many seconds. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH_MAX 256
#define RECORD_BYTES 192

struct sender {
    int fd;
    long ranks, batch;
    char text[BATCH_MAX][RECORD_BYTES];
    struct iovec parts[BATCH_MAX];
    struct mmsghdr messages[BATCH_MAX];
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The busy end of the wait is short: a timer alone comes tens of microseconds late. */
static void wait_until(double at_s)
{
    double left = at_s - now_s();
    if (left > 200e-6) {
        struct timespec pause = {0, (long)((left - 100e-6) * 1e9)};
        if (pause.tv_nsec < 1000000000)
            nanosleep(&pause, NULL);
    }
    while (now_s() < at_s)
        continue;
}

static int connect_to(int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
        perror("udp_sender");
        exit(1);
    }
    return fd;
}

static char *put_number(char *to, long number)
{
    char digits[24];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

static char *put_text(char *to, const char *text)
{
    size_t length = strlen(text);
    memcpy(to, text, length);
    return to + length;
}

/* Quick, so that the sender costs little beside the kernel. */
static void compose(struct sender *sender, long at, long index)
{
    char *text = sender->text[at], *end = put_text(text, "{\"rank\":");
    end = put_number(end, index % sender->ranks);
    end = put_text(end, ",\"step\":");
    end = put_number(end, index / sender->ranks);
    end = put_text(end, ",\"t\":");
    end = put_number(end, 1800000000 + index / sender->ranks);
    end = put_text(end, ".000250,\"data\":0.000412,\"forward\":0.33");
    end = put_number(end, 1000 + index % 8999);
    end = put_text(end, ",\"backward\":0.66");
    end = put_number(end, 1000 + index % 8887);
    end = put_text(end, ",\"sync\":0.073205,\"optimizer\":0.040744}\n");
    sender->parts[at] = (struct iovec){text, (size_t)(end - text)};
    sender->messages[at].msg_hdr = (struct msghdr){.msg_iov = &sender->parts[at], .msg_iovlen = 1};
}

/* Sends what was composed; a datagram that the kernel does not take is sent again. */
static void send_all(struct sender *sender, long count)
{
    for (long sent = 0; sent < count;) {
        int n = sendmmsg(sender->fd, sender->messages + sent, (unsigned)(count - sent), 0);
        if (n < 0 && errno != EINTR && errno != ENOBUFS && errno != EAGAIN) {
            perror("udp_sender");
            exit(1);
        }
        sent += n > 0 ? n : 0;
    }
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("usage: udp_sender PORT RANKS STEPS RATE [BATCH]\n", stderr);
        return 2;
    }
    struct sender *sender = calloc(1, sizeof(*sender));
    if (!sender)
        return 1;
    double rate = atof(argv[4]);
    long total = atol(argv[2]) * atol(argv[3]);
    sender->ranks = atol(argv[2]);
    sender->batch = argc > 5 ? atol(argv[5]) : 64;
    if (sender->batch < 1 || sender->batch > BATCH_MAX || sender->ranks < 1)
        return 2;
    sender->fd = connect_to(atoi(argv[1]));
    double begin = now_s();
    for (long index = 0; index < total;) {
        long count = total - index < sender->batch ? total - index : sender->batch;
        for (long i = 0; i < count; i++)
            compose(sender, i, index + i);
        if (rate > 0)
            wait_until(begin + (double)index / rate);
        send_all(sender, count);
        index += count;
    }
    printf("%ld %.6f\n", total, now_s() - begin);
    close(sender->fd);
    free(sender);
    return 0;
}
