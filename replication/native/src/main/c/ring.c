/*
 * One io_uring. Java and this file share an area of direct memory:
 *
 *   struct record [depth]      what each slot asks for, written by Java
 *   int32_t       [depth]      the slots that a call submits, written by Java
 *   struct answer [depth + 1]  what is complete, written here
 *
 * Only the queue's owner thread comes here, or its heir once it is dead.
 */
#include <errno.h>
#include <liburing.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "io_mgtm_flash_RingCalls.h"

#define NS_PER_S 1000000000L
#define RETRY_NS 1000000L
#define WAKEUP UINT64_MAX

struct record {
    int32_t operation;
    int32_t file;
    int64_t offset;
    int64_t address;
    int64_t length;
    int32_t flags;
    int32_t pool;
    int64_t unused[3];
};

struct answer {
    int32_t slot;
    int32_t result;
};

struct queue {
    struct io_uring ring;
    struct record *records;
    int32_t *submitted;
    struct answer *answers;
    unsigned depth;
    unsigned running;
    int wake_fd;
    int wake_armed; /* a poll of wake_fd is in the ring */
    int woken;      /* it fired, and no wait has been told yet */
};

_Static_assert(sizeof(struct record) == io_mgtm_flash_RingCalls_RECORD_BYTES, "as in Java");
_Static_assert(sizeof(struct answer) == io_mgtm_flash_RingCalls_ANSWER_BYTES, "as in Java");

static struct queue *queue_of(jlong handle) {
    return (struct queue *)(intptr_t)handle;
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int start(struct io_uring *ring, unsigned entries) {
    struct io_uring_params params = {.flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SUBMIT_ALL};
    int error = io_uring_queue_init_params(entries, ring, &params);
    if (error == -EINVAL) { /* kernels before 5.19 do not know these flags */
        params = (struct io_uring_params){0};
        error = io_uring_queue_init_params(entries, ring, &params);
    }
    unsigned needed = IORING_FEAT_NODROP | IORING_FEAT_SUBMIT_STABLE | IORING_FEAT_EXT_ARG;
    if (error == 0 && (params.features & needed) != needed) {
        io_uring_queue_exit(ring);
        error = -ENOSYS;
    }
    return error;
}

/* Whether rings work here: 0 or an errno as a negative number. */
JNIEXPORT jint JNICALL Java_io_mgtm_flash_RingCalls_probe(JNIEnv *env, jclass type) {
    (void)env;
    (void)type;
    struct io_uring ring;
    int error = start(&ring, 2);
    if (error == 0) {
        io_uring_queue_exit(&ring);
    }
    return error;
}

/*
 * Sets a ring up over Java's area; pools holds address and length of each. Answers
 * a handle, or an errno as a negative number. registered[0] tells whether the pools
 * are registered: that needs locked memory, and all works without.
 */
JNIEXPORT jlong JNICALL Java_io_mgtm_flash_RingCalls_open(
    JNIEnv *env, jclass type, jint depth, jlong area, jintArray files, jlongArray pools, jint wake_fd, jintArray registered) {
    (void)type;
    jint fds[io_mgtm_flash_RingCalls_TARGETS_MAX];
    jlong spans[2 * io_mgtm_flash_RingCalls_TARGETS_MAX];
    struct iovec vectors[io_mgtm_flash_RingCalls_TARGETS_MAX];
    jsize file_count = (*env)->GetArrayLength(env, files);
    jsize pool_count = (*env)->GetArrayLength(env, pools) / 2;
    if (file_count > io_mgtm_flash_RingCalls_TARGETS_MAX || pool_count > io_mgtm_flash_RingCalls_TARGETS_MAX) {
        return -EINVAL;
    }
    (*env)->GetIntArrayRegion(env, files, 0, file_count, fds);
    if ((*env)->ExceptionCheck(env)) {
        return -EFAULT;
    }
    (*env)->GetLongArrayRegion(env, pools, 0, 2 * pool_count, spans);
    if ((*env)->ExceptionCheck(env)) {
        return -EFAULT;
    }
    for (jsize i = 0; i < pool_count; i++) {
        vectors[i].iov_base = (void *)(intptr_t)spans[2 * i];
        vectors[i].iov_len = (size_t)spans[2 * i + 1];
    }
    struct queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL) {
        return -ENOMEM;
    }
    queue->depth = (unsigned)depth;
    queue->wake_fd = wake_fd;
    queue->records = (struct record *)(intptr_t)area;
    queue->submitted = (int32_t *)(queue->records + depth);
    queue->answers = (struct answer *)(queue->submitted + depth + depth % 2);
    int error = start(&queue->ring, (unsigned)depth + 1);
    if (error == 0) {
        error = io_uring_register_files(&queue->ring, fds, (unsigned)file_count);
        if (error < 0) {
            io_uring_queue_exit(&queue->ring);
        }
    }
    if (error < 0) {
        free(queue);
        return error;
    }
    jint yes = pool_count > 0 && io_uring_register_buffers(&queue->ring, vectors, (unsigned)pool_count) == 0;
    (*env)->SetIntArrayRegion(env, registered, 0, 1, &yes);
    return (jlong)(intptr_t)queue;
}

static void prepare(struct queue *queue, struct io_uring_sqe *sqe, int32_t slot) {
    const struct record *record = &queue->records[slot];
    void *address = (void *)(intptr_t)record->address;
    unsigned length = (unsigned)record->length;
    uint64_t offset = (uint64_t)record->offset;
    switch (record->operation) {
    case io_mgtm_flash_RingCalls_READ:
        if (record->pool >= 0) {
            io_uring_prep_read_fixed(sqe, record->file, address, length, offset, record->pool);
        } else {
            io_uring_prep_read(sqe, record->file, address, length, offset);
        }
        break;
    case io_mgtm_flash_RingCalls_WRITE:
        if (record->pool >= 0) {
            io_uring_prep_write_fixed(sqe, record->file, address, length, offset, record->pool);
        } else {
            io_uring_prep_write(sqe, record->file, address, length, offset);
        }
        sqe->rw_flags = (record->flags & io_mgtm_flash_RingCalls_DURABLE) ? RWF_DSYNC : 0;
        break;
    case io_mgtm_flash_RingCalls_READ_VECTOR:
        io_uring_prep_readv(sqe, record->file, address, length, offset);
        break;
    case io_mgtm_flash_RingCalls_WRITE_VECTOR:
        io_uring_prep_writev(sqe, record->file, address, length, offset);
        sqe->rw_flags = (record->flags & io_mgtm_flash_RingCalls_DURABLE) ? RWF_DSYNC : 0;
        break;
    case io_mgtm_flash_RingCalls_SYNC:
        io_uring_prep_fsync(sqe, record->file, IORING_FSYNC_DATASYNC);
        break;
    default: /* FALLOCATE, whose flags are the kernel's mode */
        io_uring_prep_fallocate(sqe, record->file, record->flags, record->offset, record->length);
        break;
    }
    sqe->flags |= IOSQE_FIXED_FILE;
    io_uring_sqe_set_data64(sqe, (uint64_t)slot);
}

static void note_wakeup(struct queue *queue, int events) {
    uint64_t ignored;
    queue->wake_armed = 0;
    if (events > 0 && read(queue->wake_fd, &ignored, sizeof ignored) > 0) {
        queue->woken = 1;
    }
}

static unsigned collect(struct queue *queue, unsigned count) {
    struct io_uring_cqe *cqe;
    unsigned head;
    unsigned seen = 0;
    io_uring_for_each_cqe(&queue->ring, head, cqe) {
        if (count == queue->depth) {
            break;
        }
        seen++;
        if (cqe->user_data == WAKEUP) {
            note_wakeup(queue, cqe->res);
        } else {
            queue->answers[count].slot = (int32_t)cqe->user_data;
            queue->answers[count++].result = cqe->res;
            queue->running--;
        }
    }
    io_uring_cq_advance(&queue->ring, seen);
    return count;
}

static void arm_wakeup(struct queue *queue) {
    struct io_uring_sqe *sqe = queue->wake_armed ? NULL : io_uring_get_sqe(&queue->ring);
    if (sqe != NULL) {
        io_uring_prep_poll_add(sqe, queue->wake_fd, POLLIN);
        io_uring_sqe_set_data64(sqe, WAKEUP);
        queue->wake_armed = 1;
    }
}

/* Submits and waits for one completion, or only submits when there is no time to wait. */
static int enter(struct queue *queue, int64_t timeout_ns) {
    if (timeout_ns <= 0) {
        if (io_uring_sq_ready(&queue->ring) > 0) {
            return io_uring_submit(&queue->ring);
        }
        return queue->running > 0 ? io_uring_get_events(&queue->ring) : 0;
    }
    struct __kernel_timespec limit = {.tv_sec = timeout_ns / NS_PER_S, .tv_nsec = timeout_ns % NS_PER_S};
    struct io_uring_cqe *cqe;
    return io_uring_submit_and_wait_timeout(&queue->ring, &cqe, 1, &limit, NULL);
}

/*
 * Whether it goes on: the kernel was interrupted, or had no memory for a request, as under a
 * control group's limit. What it did not take stays in the ring, and the next call submits it.
 */
static int passes(int error) {
    return error >= 0 || error == -ETIME || error == -EINTR || error == -EBUSY || error == -EAGAIN || error == -ENOMEM;
}

/* The kernel does not wait for memory by itself. */
static void pause_for_memory(int error) {
    if (error == -EAGAIN || error == -ENOMEM) {
        nanosleep(&(struct timespec){.tv_nsec = RETRY_NS}, NULL);
    }
}

/*
 * Submits the listed slots and waits until `minimum` are complete, a wake-up or the
 * time's end. Answers how many answers there are, with WOKEN added when woken.
 */
JNIEXPORT jint JNICALL Java_io_mgtm_flash_RingCalls_exchange(
    JNIEnv *env, jclass type, jlong handle, jint submit, jint minimum, jlong timeout_ns) {
    (void)env;
    (void)type;
    struct queue *queue = queue_of(handle);
    for (jint i = 0; i < submit; i++) {
        struct io_uring_sqe *sqe = io_uring_get_sqe(&queue->ring);
        if (sqe == NULL) { /* cannot be: the ring has room for depth + 1 */
            return -EOVERFLOW;
        }
        prepare(queue, sqe, queue->submitted[i]);
        queue->running++;
    }
    if (minimum > 0) {
        arm_wakeup(queue);
    }
    unsigned wanted = (unsigned)minimum;
    unsigned count = collect(queue, 0);
    int64_t left_ns = count < wanted && !queue->woken ? timeout_ns : 0;
    int64_t deadline = left_ns > 0 ? now_ns() + left_ns : 0;
    for (;;) {
        int error = enter(queue, left_ns);
        count = collect(queue, count);
        if (!passes(error)) {
            return count > 0 ? (jint)count : error; /* it comes again when nothing is lost by it */
        }
        if (count >= wanted || queue->woken || left_ns <= 0) {
            break;
        }
        pause_for_memory(error);
        left_ns = deadline - now_ns();
        if (left_ns <= 0) {
            break;
        }
    }
    int woken = minimum > 0 && queue->woken;
    queue->woken = queue->woken && !woken;
    return (jint)count | (woken ? io_mgtm_flash_RingCalls_WOKEN : 0);
}

/*
 * Waits for what runs and frees the ring: only then is the memory safe. Answers how
 * many operations still run when time is up; nothing is freed in that case.
 */
JNIEXPORT jint JNICALL Java_io_mgtm_flash_RingCalls_close(JNIEnv *env, jclass type, jlong handle, jlong timeout_ns) {
    (void)env;
    (void)type;
    struct queue *queue = queue_of(handle);
    int64_t deadline = now_ns() + timeout_ns;
    int64_t left_ns = timeout_ns;
    collect(queue, 0);
    while (queue->running > 0 && left_ns > 0) {
        int error = enter(queue, left_ns);
        collect(queue, 0);
        if (!passes(error)) {
            break;
        }
        pause_for_memory(error);
        left_ns = deadline - now_ns();
    }
    if (queue->running > 0) {
        return (jint)queue->running;
    }
    io_uring_queue_exit(&queue->ring);
    free(queue);
    return 0;
}
