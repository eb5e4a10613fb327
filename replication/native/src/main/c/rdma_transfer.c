/*
 * Posting work and polling completions. Java and this file share an area of direct
 * memory, as with a ring:
 *
 *   struct record [depth]   what each slot asks for, written by Java
 *   int32_t       [depth]   the slots that a call posts, written by Java
 *   struct answer [depth]   what is complete, written here
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "io_mgtm_rdma_TransferCalls.h"
#include "rdma_parts.h"

#define POLL_BATCH 16

struct record {
    int32_t operation;
    uint32_t local_key;
    uint64_t address;
    uint32_t length;
    uint32_t immediate;
    uint64_t remote_address;
    uint32_t remote_key;
    uint32_t unused;
};

struct answer {
    int32_t slot;
    int32_t status; /* a work completion's, or an errno as a negative number */
    int32_t kind;
    uint32_t bytes;
    uint32_t immediate;
    int32_t unused;
};

_Static_assert(sizeof(struct record) == io_mgtm_rdma_TransferCalls_RECORD_BYTES, "as in Java");
_Static_assert(sizeof(struct answer) == io_mgtm_rdma_TransferCalls_ANSWER_BYTES, "as in Java");

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void rdma_transfer_lay_out(struct connection *connection, int64_t area, unsigned depth) {
    connection->depth = depth;
    connection->records = (struct record *)(intptr_t)area;
    connection->submitted = (int32_t *)(connection->records + depth);
    connection->answers = (struct answer *)(connection->submitted + depth + depth % 2);
}

static int post_receive(struct connection *connection, const struct record *record, int32_t slot) {
    struct ibv_sge piece = {.addr = record->address, .length = record->length, .lkey = record->local_key};
    struct ibv_recv_wr work = {.wr_id = (uint64_t)slot, .sg_list = &piece, .num_sge = 1};
    struct ibv_recv_wr *bad;
    return ibv_post_recv(connection->id->qp, &work, &bad);
}

static int post_send(struct connection *connection, const struct record *record, int32_t slot) {
    struct ibv_sge piece = {.addr = record->address, .length = record->length, .lkey = record->local_key};
    struct ibv_send_wr work = {
        .wr_id = (uint64_t)slot,
        .sg_list = &piece,
        .num_sge = record->length > 0 ? 1 : 0,
        .opcode = IBV_WR_SEND,
        .send_flags = IBV_SEND_SIGNALED,
        .imm_data = htonl(record->immediate),
    };
    if (record->operation == io_mgtm_rdma_TransferCalls_SEND_IMMEDIATE) {
        work.opcode = IBV_WR_SEND_WITH_IMM;
    } else if (record->operation == io_mgtm_rdma_TransferCalls_WRITE_IMMEDIATE) {
        work.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
        work.wr.rdma.remote_addr = record->remote_address;
        work.wr.rdma.rkey = record->remote_key;
    }
    struct ibv_send_wr *bad;
    return ibv_post_send(connection->id->qp, &work, &bad);
}

static int kind_of(const struct ibv_wc *work) {
    switch (work->opcode) {
    case IBV_WC_RECV:
        return (work->wc_flags & IBV_WC_WITH_IMM) ? io_mgtm_rdma_TransferCalls_RECEIVED_IMMEDIATE
                                                  : io_mgtm_rdma_TransferCalls_RECEIVED;
    case IBV_WC_RECV_RDMA_WITH_IMM:
        return io_mgtm_rdma_TransferCalls_WRITTEN;
    default:
        return io_mgtm_rdma_TransferCalls_SENT;
    }
}

/* Moves completions from the queue to the answers; an errno as a negative number when it is broken. */
static int collect(struct connection *connection, unsigned *count) {
    struct ibv_wc batch[POLL_BATCH];
    unsigned room = connection->depth - *count;
    while (room > 0) {
        int found = ibv_poll_cq(connection->cq, room < POLL_BATCH ? (int)room : POLL_BATCH, batch);
        if (found < 0) {
            return -EIO;
        }
        for (int i = 0; i < found; i++) {
            struct answer *answer = &connection->answers[(*count)++];
            int fine = batch[i].status == IBV_WC_SUCCESS;
            answer->slot = (int32_t)batch[i].wr_id;
            answer->status = (int32_t)batch[i].status;
            answer->kind = fine ? kind_of(&batch[i]) : 0;
            answer->bytes = fine ? batch[i].byte_len : 0;
            answer->immediate = fine && (batch[i].wc_flags & IBV_WC_WITH_IMM) ? ntohl(batch[i].imm_data) : 0;
        }
        if (found == 0) {
            break;
        }
        room = connection->depth - *count;
    }
    return 0;
}

/* Takes what the connection manager tells. A peer that left fails all that is posted. */
static void hear(struct connection *connection) {
    struct rdma_cm_event *event;
    while (rdma_get_cm_event(connection->events, &event) == 0) {
        enum rdma_cm_event_type type = event->event;
        rdma_ack_cm_event(event);
        if (type == RDMA_CM_EVENT_DISCONNECTED || type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
            connection->left = (int)type;
            connection->connected = 0;
            rdma_disconnect(connection->id);
        }
    }
}

/* Waits until something happens: 1 for a wake-up, 0, or an errno as a negative number. */
static int wait_for_event(struct connection *connection, int64_t timeout_ns) {
    struct pollfd fds[3] = {
        {.fd = connection->completions->fd, .events = POLLIN},
        {.fd = connection->events->fd, .events = POLLIN},
        {.fd = connection->wake_fd, .events = POLLIN},
    };
    struct timespec limit = {.tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000};
    if (ppoll(fds, 3, &limit, NULL) < 0) {
        return errno == EINTR ? 0 : -errno;
    }
    if (fds[0].revents != 0) {
        struct ibv_cq *cq;
        void *context;
        if (ibv_get_cq_event(connection->completions, &cq, &context) == 0) {
            ibv_ack_cq_events(cq, 1);
        }
    }
    if (fds[1].revents != 0) {
        hear(connection);
    }
    uint64_t ignored;
    return fds[2].revents != 0 && timeout_ns > 0 && read(connection->wake_fd, &ignored, sizeof ignored) > 0;
}

/*
 * Posts the listed slots and waits until `minimum` are complete, the peer leaves, a
 * wake-up or the time's end. Answers how many answers there are, with LEFT and WOKEN
 * added.
 */
JNIEXPORT jint JNICALL Java_io_mgtm_rdma_TransferCalls_exchange(
    JNIEnv *env, jclass type, jlong handle, jint submit, jint minimum, jlong timeout_ns) {
    (void)env;
    (void)type;
    struct connection *connection = (struct connection *)(intptr_t)handle;
    unsigned count = 0;
    for (jint i = 0; i < submit; i++) {
        int32_t slot = connection->submitted[i];
        const struct record *record = &connection->records[slot];
        int error = record->operation == io_mgtm_rdma_TransferCalls_RECEIVE ? post_receive(connection, record, slot)
                                                                            : post_send(connection, record, slot);
        if (error != 0) {
            connection->answers[count++] = (struct answer){.slot = slot, .status = -error};
        }
    }
    int error = collect(connection, &count);
    int woken = 0;
    int64_t deadline = minimum > 0 ? now_ns() + timeout_ns : 0;
    while (error == 0 && !woken && count < (unsigned)minimum && connection->left == connection->left_told) {
        int64_t left_ns = deadline - now_ns();
        error = -ibv_req_notify_cq(connection->cq, 0);
        if (error == 0) {
            error = collect(connection, &count); /* what came before it was armed */
        }
        if (error != 0 || count >= (unsigned)minimum || left_ns <= 0) {
            break;
        }
        woken = wait_for_event(connection, left_ns);
        error = woken < 0 ? woken : collect(connection, &count);
    }
    if (error == 0 && minimum == 0 && count == 0) {
        error = wait_for_event(connection, 0);
    }
    if (error < 0 && count == 0) {
        return error;
    }
    connection->left_told = connection->left;
    return (jint)count | (woken > 0 ? io_mgtm_rdma_TransferCalls_WOKEN : 0) |
           (connection->left != 0 ? io_mgtm_rdma_TransferCalls_LEFT : 0);
}
