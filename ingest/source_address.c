/* Where to listen, and whom to listen to. */
#include "source_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"

#define HOST_BYTES 256

static int fail(char *ret_message, size_t size, const char *spec, const char *what)
{
    snprintf(ret_message, size, "%s: %s", spec, what);
    return -EINVAL;
}

/* "HOST:PORT", "[HOST]:PORT", ":PORT" or "PORT" into its parts. */
static bool split(const char *text, char *ret_host, uint16_t *ret_port)
{
    const char *port = text, *host = text;
    size_t len = 0;
    if (*text == '[') {
        const char *end = strchr(text, ']');
        if (!end || end[1] != ':')
            return false;
        host = text + 1;
        len = (size_t)(end - host);
        port = end + 2;
    } else if (strchr(text, ':')) {
        port = strrchr(text, ':');
        len = (size_t)(port++ - text);
        if (memchr(text, ':', len)) /* an IPv6 address without brackets */
            return false;
    }
    int64_t number;
    if (len >= HOST_BYTES || !str_to_int(str_from(port), 0, 65535, &number))
        return false;
    memcpy(ret_host, host, len);
    ret_host[len] = '\0';
    *ret_port = (uint16_t)number;
    return true;
}

static void add4(struct udp_address *to, uint32_t host, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(host);
    memcpy(&to->bind[to->count++], &address, sizeof address);
}

static void add6(struct udp_address *to, struct in6_addr host, uint16_t port)
{
    struct sockaddr_in6 address = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = host};
    memcpy(&to->bind[to->count++], &address, sizeof address);
}

static int resolve(const char *spec, const char *host, uint16_t port, struct udp_address *ret,
                   char *ret_message, size_t size)
{
    struct addrinfo *found, hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_PASSIVE};
    char service[8];
    snprintf(service, sizeof service, "%u", port);
    int result = getaddrinfo(host, service, &hints, &found);
    if (result != 0) {
        snprintf(ret_message, size,
                 "%s: %s: %s; give a numeric address, or no host for this "
                 "machine alone",
                 spec, host, gai_strerror(result));
        return -EADDRNOTAVAIL;
    }
    for (struct addrinfo *at = found; at && ret->count < ADDRESSES_MAX; at = at->ai_next)
        if (at->ai_family == AF_INET || at->ai_family == AF_INET6)
            memcpy(&ret->bind[ret->count++], at->ai_addr, at->ai_addrlen);
    freeaddrinfo(found);
    return 0;
}

int udp_address_parse(const char *spec, struct udp_address *ret, char *ret_message, size_t size)
{
    static const char scheme[] = "udp://";
    char host[HOST_BYTES];
    uint16_t port;
    *ret = (struct udp_address){0};
    if (strncmp(spec, scheme, strlen(scheme)) != 0 || !split(spec + strlen(scheme), host, &port))
        return fail(ret_message, size, spec,
                    "is not udp://HOST:PORT (an IPv6 address in brackets, a port up to 65535)");
    if (host[0] == '\0' || strcmp(host, "localhost") == 0) {
        add4(ret, INADDR_LOOPBACK, port);
        add6(ret, in6addr_loopback, port);
    } else if (strcmp(host, "*") == 0) {
        add4(ret, INADDR_ANY, port);
        add6(ret, in6addr_any, port);
    } else {
        return resolve(spec, host, port, ret, ret_message, size);
    }
    return 0;
}

void udp_address_format(const struct sockaddr *address, char *ret_text, size_t size)
{
    char host[INET6_ADDRSTRLEN] = "?";
    bool six = address->sa_family == AF_INET6;
    const void *bytes = six ? (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr
                            : (const void *)&((const struct sockaddr_in *)address)->sin_addr;
    inet_ntop(address->sa_family, bytes, host, sizeof host);
    snprintf(ret_text, size, six ? "[%s]:%u" : "%s:%u", host, udp_address_port(address));
}

/* ---- blocks of senders ---- */

bool udp_block_parse(const char *text, struct udp_block *ret)
{
    char host[INET6_ADDRSTRLEN];
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : strlen(text);
    if (len >= sizeof host)
        return false;
    memcpy(host, text, len);
    host[len] = '\0';
    struct in_addr four;
    bool is_four = inet_pton(AF_INET, host, &four) == 1;
    int most = is_four ? 32 : 128;
    int64_t bits = most;
    if (slash && !str_to_int(str_from(slash + 1), 0, most, &bits))
        return false;
    if (is_four) {
        memset(ret->bytes, 0, 10);
        memset(ret->bytes + 10, 0xff, 2);
        memcpy(ret->bytes + 12, &four, 4);
        ret->bits = 96 + (int)bits;
        return true;
    }
    ret->bits = (int)bits;
    return inet_pton(AF_INET6, host, ret->bytes) == 1;
}

void udp_address_bytes(const struct sockaddr *address, uint8_t ret_bytes[16])
{
    if (address->sa_family == AF_INET6) {
        memcpy(ret_bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
        return;
    }
    memset(ret_bytes, 0, 10);
    memset(ret_bytes + 10, 0xff, 2);
    memcpy(ret_bytes + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
}

uint16_t udp_address_port(const struct sockaddr *address)
{
    return ntohs(address->sa_family == AF_INET6 ? ((const struct sockaddr_in6 *)address)->sin6_port
                                                : ((const struct sockaddr_in *)address)->sin_port);
}

bool udp_block_has(const struct udp_block *block, const struct sockaddr *address)
{
    uint8_t bytes[16];
    udp_address_bytes(address, bytes);
    int whole = block->bits / 8, rest = block->bits % 8;
    if (memcmp(bytes, block->bytes, (size_t)whole) != 0)
        return false;
    return rest == 0 || (bytes[whole] ^ block->bytes[whole]) >> (8 - rest) == 0;
}

bool udp_is_loopback(const struct sockaddr *address)
{
    uint8_t bytes[16];
    udp_address_bytes(address, bytes);
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    static const uint8_t six[16] = {[15] = 1};
    return (memcmp(bytes, mapped, 12) == 0 && bytes[12] == 127) || memcmp(bytes, six, 16) == 0;
}
