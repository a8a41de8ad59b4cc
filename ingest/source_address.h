/* Where to listen, and whom to listen to: "udp://HOST:PORT" and CIDR blocks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define ADDRESSES_MAX 4

/* At most ADDRESSES_MAX addresses to bind to. */
struct udp_address {
    struct sockaddr_storage bind[ADDRESSES_MAX];
    int count;
};

/* Without a host ("udp://:9999", "udp://9999") or with localhost: both loopbacks.
 * A host of * is all interfaces. "udp://10.0.0.1:9999", "udp://[fe80::1%eth0]:9999":
 * that one. A name: what it resolves to (this may wait for the name service).
 * 0, or negative errno and a sentence in ret_message. */
int udp_address_parse(const char *spec, struct udp_address *ret, char *ret_message, size_t size);

/* "127.0.0.1:9999", "[::1]:9999". */
void udp_address_format(const struct sockaddr *address, char *ret_text, size_t size);

/* A block of senders; addresses of both families as IPv6 (::ffff:a.b.c.d). */
struct udp_block {
    uint8_t bytes[16];
    int bits; /* 0 to 128 */
};

/* "10.0.0.0/8", "fd00::/8", "192.168.1.7". False when it is not one. */
bool udp_block_parse(const char *text, struct udp_block *ret);
bool udp_block_has(const struct udp_block *block, const struct sockaddr *address);
bool udp_is_loopback(const struct sockaddr *address);

/* The address as 16 bytes, IPv4 mapped. */
void udp_address_bytes(const struct sockaddr *address, uint8_t ret_bytes[16]);
uint16_t udp_address_port(const struct sockaddr *address);
