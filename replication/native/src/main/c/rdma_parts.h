/* What the RDMA sources share: the things behind Java's handles, and waiting for events. */
#ifndef MGTM_RDMA_PARTS_H
#define MGTM_RDMA_PARTS_H

#include <jni.h>
#include <rdma/rdma_cma.h>
#include <stdint.h>

#define PRIVATE_DATA_MAX 256

/* A protection domain, held through an id that is bound to a local address. */
struct domain {
    struct rdma_event_channel *events;
    struct rdma_cm_id *id;
    struct ibv_pd *pd;
    struct sockaddr_storage address;
};

struct connection {
    struct rdma_event_channel *events;
    struct rdma_cm_id *id;
    struct ibv_comp_channel *completions;
    struct ibv_cq *cq;
    struct record *records;
    int32_t *submitted;
    struct answer *answers;
    unsigned depth;
    int wake_fd;
    int passive;
    int connected;    /* established, and neither side has left */
    int left;         /* the peer left, or the device did: an event, or 0 */
    int left_told;    /* what of it Java knows */
    uint8_t peer_data[PRIVATE_DATA_MAX];
    unsigned peer_length;
};

/* Makes a channel whose reads do not block; NULL with errno set when it cannot. */
struct rdma_event_channel *rdma_parts_channel(void);

/* Builds an address; 0 when the bytes are neither IPv4 nor IPv6. */
int rdma_parts_address(JNIEnv *env, jbyteArray ip, jint scope, jint port, struct sockaddr_storage *address);

/*
 * Waits for a connection event. Answers it, to be acknowledged, or NULL with errno
 * ETIMEDOUT, ECANCELED when wake_fd was signalled, or the system's.
 */
struct rdma_cm_event *rdma_parts_event(struct rdma_event_channel *events, int wake_fd, int64_t timeout_ms);

/* Keeps the peer's private data of an event. */
void rdma_parts_keep(struct connection *connection, const struct rdma_cm_event *event);

int64_t rdma_parts_now_ms(void);

/* Tells a connection where the area is that it shares with Java. */
void rdma_transfer_lay_out(struct connection *connection, int64_t area, unsigned depth);

#endif
