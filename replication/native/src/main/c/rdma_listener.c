/* Listening for connections: one id and one channel of events. */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "io_mgtm_rdma_ListenerCalls.h"
#include "rdma_parts.h"

struct listener {
    struct rdma_event_channel *events;
    struct rdma_cm_id *id;
    int wake_fd;
};

static void destroy(struct listener *listener) {
    if (listener->id != NULL) {
        rdma_destroy_id(listener->id);
    }
    if (listener->events != NULL) {
        rdma_destroy_event_channel(listener->events);
    }
    free(listener);
}

JNIEXPORT jlong JNICALL Java_io_mgtm_rdma_ListenerCalls_open(
    JNIEnv *env, jclass type, jlong domain_handle, jint port, jint backlog, jint wake_fd) {
    (void)env;
    (void)type;
    struct domain *domain = (struct domain *)(intptr_t)domain_handle;
    struct sockaddr_storage address = domain->address;
    if (address.ss_family == AF_INET) {
        ((struct sockaddr_in *)&address)->sin_port = htons((uint16_t)port);
    } else {
        ((struct sockaddr_in6 *)&address)->sin6_port = htons((uint16_t)port);
    }
    struct listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL) {
        return -ENOMEM;
    }
    listener->wake_fd = wake_fd;
    listener->events = rdma_parts_channel();
    if (listener->events == NULL || rdma_create_id(listener->events, &listener->id, NULL, RDMA_PS_TCP) != 0 ||
        rdma_bind_addr(listener->id, (struct sockaddr *)&address) != 0 || rdma_listen(listener->id, backlog) != 0) {
        int error = -errno;
        destroy(listener);
        return error;
    }
    return (jlong)(intptr_t)listener;
}

JNIEXPORT jint JNICALL Java_io_mgtm_rdma_ListenerCalls_port(JNIEnv *env, jclass type, jlong handle) {
    (void)env;
    (void)type;
    return ntohs(rdma_get_src_port(((struct listener *)(intptr_t)handle)->id));
}

/* The next request as a connection that is neither accepted nor refused. */
static jlong take(struct listener *listener, struct rdma_cm_event *event) {
    struct rdma_cm_id *id = event->id;
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection != NULL) {
        rdma_parts_keep(connection, event);
    }
    rdma_ack_cm_event(event); /* before the id moves to its own channel */
    struct rdma_event_channel *events = connection == NULL ? NULL : rdma_parts_channel();
    if (events == NULL || rdma_migrate_id(id, events) != 0) {
        int error = connection == NULL ? -ENOMEM : -errno;
        rdma_reject(id, NULL, 0);
        rdma_destroy_id(id);
        if (events != NULL) {
            rdma_destroy_event_channel(events);
        }
        free(connection);
        return error;
    }
    connection->events = events;
    connection->id = id;
    connection->passive = 1;
    connection->wake_fd = listener->wake_fd; /* until it gets its own */
    return (jlong)(intptr_t)connection;
}

JNIEXPORT jlong JNICALL Java_io_mgtm_rdma_ListenerCalls_next(JNIEnv *env, jclass type, jlong handle, jlong timeout_ms) {
    (void)env;
    (void)type;
    struct listener *listener = (struct listener *)(intptr_t)handle;
    int64_t deadline = rdma_parts_now_ms() + timeout_ms;
    for (;;) {
        int64_t left_ms = deadline - rdma_parts_now_ms();
        struct rdma_cm_event *event = rdma_parts_event(listener->events, listener->wake_fd, left_ms);
        if (event == NULL) {
            return -errno;
        }
        if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
            return take(listener, event);
        }
        int removed = event->event == RDMA_CM_EVENT_DEVICE_REMOVAL;
        rdma_ack_cm_event(event);
        if (removed) {
            return -ENODEV;
        }
    }
}

JNIEXPORT void JNICALL Java_io_mgtm_rdma_ListenerCalls_close(JNIEnv *env, jclass type, jlong handle) {
    (void)env;
    (void)type;
    destroy((struct listener *)(intptr_t)handle);
}
