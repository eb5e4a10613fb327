#include "rdma_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int64_t rdma_parts_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

struct rdma_event_channel *rdma_parts_channel(void) {
    struct rdma_event_channel *events = rdma_create_event_channel();
    if (events == NULL) {
        return NULL;
    }
    int flags = fcntl(events->fd, F_GETFL);
    if (flags < 0 || fcntl(events->fd, F_SETFL, flags | O_NONBLOCK) < 0) {
        int error = errno;
        rdma_destroy_event_channel(events);
        errno = error;
        return NULL;
    }
    return events;
}

int rdma_parts_address(JNIEnv *env, jbyteArray ip, jint scope, jint port, struct sockaddr_storage *address) {
    jsize length = (*env)->GetArrayLength(env, ip);
    jbyte *target = NULL;
    memset(address, 0, sizeof *address);
    if (length == 4) {
        struct sockaddr_in *v4 = (struct sockaddr_in *)address;
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        target = (jbyte *)&v4->sin_addr;
    } else if (length == 16) {
        struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        v6->sin6_scope_id = (uint32_t)scope;
        target = (jbyte *)&v6->sin6_addr;
    } else {
        return 0;
    }
    (*env)->GetByteArrayRegion(env, ip, 0, length, target);
    return !(*env)->ExceptionCheck(env);
}

struct rdma_cm_event *rdma_parts_event(struct rdma_event_channel *events, int wake_fd, int64_t timeout_ms) {
    int64_t deadline = rdma_parts_now_ms() + timeout_ms;
    for (;;) {
        struct rdma_cm_event *event;
        if (rdma_get_cm_event(events, &event) == 0) {
            return event;
        }
        if (errno != EAGAIN && errno != EINTR) {
            return NULL;
        }
        int64_t left_ms = deadline - rdma_parts_now_ms();
        if (left_ms <= 0) {
            errno = ETIMEDOUT;
            return NULL;
        }
        struct pollfd fds[2] = {{.fd = events->fd, .events = POLLIN}, {.fd = wake_fd, .events = POLLIN}};
        if (poll(fds, 2, (int)left_ms) < 0 && errno != EINTR) {
            return NULL;
        }
        uint64_t ignored;
        if ((fds[1].revents & POLLIN) != 0 && read(wake_fd, &ignored, sizeof ignored) > 0) {
            errno = ECANCELED;
            return NULL;
        }
    }
}

void rdma_parts_keep(struct connection *connection, const struct rdma_cm_event *event) {
    connection->peer_length = event->param.conn.private_data_len;
    if (event->param.conn.private_data == NULL) {
        connection->peer_length = 0;
    }
    if (connection->peer_length > 0) {
        memcpy(connection->peer_data, event->param.conn.private_data, connection->peer_length);
    }
}
