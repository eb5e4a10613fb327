/*
 * The life of a connection: resolve, build the queue pair, establish, disconnect,
 * close. Answers are handles, or numbers >= 0, or an errno as a negative number.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io_mgtm_rdma_ConnectCalls.h"
#include "rdma_parts.h"

static struct connection *of(jlong handle) {
    return (struct connection *)(intptr_t)handle;
}

static void destroy(struct connection *connection) {
    if (connection->id != NULL && connection->id->qp != NULL) {
        rdma_destroy_qp(connection->id); /* after it the device touches no memory */
    }
    if (connection->cq != NULL) {
        ibv_destroy_cq(connection->cq);
    }
    if (connection->completions != NULL) {
        ibv_destroy_comp_channel(connection->completions);
    }
    if (connection->id != NULL) {
        rdma_destroy_id(connection->id);
    }
    if (connection->events != NULL) {
        rdma_destroy_event_channel(connection->events);
    }
    free(connection);
}

/* A failed step's event as an errno. */
static int meaning(const struct rdma_cm_event *event) {
    switch (event->event) {
    case RDMA_CM_EVENT_REJECTED:
        return ECONNREFUSED;
    case RDMA_CM_EVENT_UNREACHABLE:
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
        return event->status < 0 ? -event->status : EHOSTUNREACH;
    case RDMA_CM_EVENT_DISCONNECTED:
        return ECONNRESET;
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
        return ENODEV;
    default:
        return event->status < 0 ? -event->status : EPROTO;
    }
}

/* Waits for one step's event: 0 or an errno as a negative number. */
static int expect(struct connection *connection, enum rdma_cm_event_type wanted, int64_t deadline_ms) {
    struct rdma_cm_event *event =
        rdma_parts_event(connection->events, connection->wake_fd, deadline_ms - rdma_parts_now_ms());
    if (event == NULL) {
        return -errno;
    }
    int error = event->event == wanted ? 0 : -meaning(event);
    if (wanted == RDMA_CM_EVENT_ESTABLISHED && error == 0 && !connection->passive) {
        rdma_parts_keep(connection, event);
    }
    rdma_ack_cm_event(event);
    return error;
}

static int resolve(struct connection *connection, struct domain *domain, struct sockaddr_storage *peer, int64_t timeout_ms) {
    int64_t deadline = rdma_parts_now_ms() + timeout_ms;
    connection->events = rdma_parts_channel();
    if (connection->events == NULL || rdma_create_id(connection->events, &connection->id, NULL, RDMA_PS_TCP) != 0 ||
        rdma_resolve_addr(connection->id, (struct sockaddr *)&domain->address, (struct sockaddr *)peer, (int)timeout_ms) != 0) {
        return -errno;
    }
    int error = expect(connection, RDMA_CM_EVENT_ADDR_RESOLVED, deadline);
    if (error == 0 && rdma_resolve_route(connection->id, (int)timeout_ms) != 0) {
        error = -errno;
    }
    return error < 0 ? error : expect(connection, RDMA_CM_EVENT_ROUTE_RESOLVED, deadline);
}

JNIEXPORT jlong JNICALL Java_io_mgtm_rdma_ConnectCalls_resolve(
    JNIEnv *env, jclass type, jlong domain_handle, jbyteArray ip, jint scope, jint port, jint wake_fd, jlong timeout_ms) {
    (void)type;
    struct sockaddr_storage peer;
    if (!rdma_parts_address(env, ip, scope, port, &peer)) {
        return -EAFNOSUPPORT;
    }
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) {
        return -ENOMEM;
    }
    connection->wake_fd = wake_fd;
    int error = resolve(connection, (struct domain *)(intptr_t)domain_handle, &peer, timeout_ms);
    if (error < 0) {
        destroy(connection);
        return error;
    }
    return (jlong)(intptr_t)connection;
}

/* Gives a resolved or requested connection its queues over Java's area (rdma_transfer.c). */
JNIEXPORT jint JNICALL Java_io_mgtm_rdma_ConnectCalls_build(
    JNIEnv *env, jclass type, jlong handle, jlong domain_handle, jlong area, jint sends, jint receives, jint wake_fd) {
    (void)env;
    (void)type;
    struct connection *connection = of(handle);
    struct domain *domain = (struct domain *)(intptr_t)domain_handle;
    connection->wake_fd = wake_fd;
    rdma_transfer_lay_out(connection, area, (unsigned)(sends + receives));
    if (connection->id->verbs != domain->id->verbs) {
        return -EXDEV; /* the request came to another device */
    }
    connection->completions = ibv_create_comp_channel(connection->id->verbs);
    if (connection->completions == NULL) {
        return -errno;
    }
    connection->cq = ibv_create_cq(connection->id->verbs, sends + receives, NULL, connection->completions, 0);
    if (connection->cq == NULL) {
        return -errno;
    }
    struct ibv_qp_init_attr wanted = {
        .send_cq = connection->cq,
        .recv_cq = connection->cq,
        .cap = {.max_send_wr = (uint32_t)sends, .max_recv_wr = (uint32_t)receives, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = 1,
    };
    return rdma_create_qp(connection->id, domain->pd, &wanted) != 0 ? -errno : 0;
}

JNIEXPORT jint JNICALL Java_io_mgtm_rdma_ConnectCalls_establish(
    JNIEnv *env, jclass type, jlong handle, jbyteArray data, jlong timeout_ms) {
    (void)type;
    struct connection *connection = of(handle);
    uint8_t bytes[PRIVATE_DATA_MAX];
    jsize length = (*env)->GetArrayLength(env, data);
    if (length >= PRIVATE_DATA_MAX) {
        return -EMSGSIZE;
    }
    (*env)->GetByteArrayRegion(env, data, 0, length, (jbyte *)bytes);
    if ((*env)->ExceptionCheck(env)) {
        return -EFAULT;
    }
    struct rdma_conn_param param = {
        .private_data = bytes,
        .private_data_len = (uint8_t)length,
        .retry_count = io_mgtm_rdma_ConnectCalls_RETRIES,
        .rnr_retry_count = io_mgtm_rdma_ConnectCalls_RNR_RETRIES,
    };
    int64_t deadline = rdma_parts_now_ms() + timeout_ms;
    int failed = connection->passive ? rdma_accept(connection->id, &param) : rdma_connect(connection->id, &param);
    int error = failed ? -errno : expect(connection, RDMA_CM_EVENT_ESTABLISHED, deadline);
    connection->connected = error == 0;
    return error;
}

JNIEXPORT jint JNICALL Java_io_mgtm_rdma_ConnectCalls_peerData(JNIEnv *env, jclass type, jlong handle, jbyteArray data) {
    (void)type;
    struct connection *connection = of(handle);
    (*env)->SetByteArrayRegion(env, data, 0, (jsize)connection->peer_length, (const jbyte *)connection->peer_data);
    return (jint)connection->peer_length;
}

JNIEXPORT jint JNICALL Java_io_mgtm_rdma_ConnectCalls_disconnect(JNIEnv *env, jclass type, jlong handle) {
    (void)env;
    (void)type;
    struct connection *connection = of(handle);
    connection->connected = 0;
    return rdma_disconnect(connection->id) != 0 ? -errno : 0;
}

/* Refuses what is only requested, leaves what is established, and frees all. */
JNIEXPORT void JNICALL Java_io_mgtm_rdma_ConnectCalls_close(JNIEnv *env, jclass type, jlong handle, jboolean refuse) {
    (void)env;
    (void)type;
    struct connection *connection = of(handle);
    if (refuse && connection->passive) {
        rdma_reject(connection->id, NULL, 0);
    } else if (connection->connected) {
        rdma_disconnect(connection->id);
    }
    destroy(connection);
}
