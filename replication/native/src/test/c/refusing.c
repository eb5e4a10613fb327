/*
 * A kernel that has no memory for a submission, as under a control group's limit: every second
 * one is refused, by EAGAIN and ENOMEM in turn, when MGTM_REFUSE_SUBMISSIONS is set. Linked in
 * front of liburing by --wrap, in the library that is checked and in no other.
 */
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>

int __real_io_uring_submit(struct io_uring *ring);
int __wrap_io_uring_submit(struct io_uring *ring);
int __real_io_uring_submit_and_wait_timeout(
    struct io_uring *ring, struct io_uring_cqe **cqe, unsigned count, struct __kernel_timespec *limit, sigset_t *mask);
int __wrap_io_uring_submit_and_wait_timeout(
    struct io_uring *ring, struct io_uring_cqe **cqe, unsigned count, struct __kernel_timespec *limit, sigset_t *mask);

static int refusal(void) {
    static _Thread_local unsigned calls;
    if (getenv("MGTM_REFUSE_SUBMISSIONS") == NULL || ++calls % 2 == 0) {
        return 0;
    }
    return calls % 4 == 1 ? -EAGAIN : -ENOMEM;
}

int __wrap_io_uring_submit(struct io_uring *ring) {
    int error = refusal();
    return error < 0 ? error : __real_io_uring_submit(ring);
}

int __wrap_io_uring_submit_and_wait_timeout(
    struct io_uring *ring, struct io_uring_cqe **cqe, unsigned count, struct __kernel_timespec *limit, sigset_t *mask) {
    int error = refusal();
    return error < 0 ? error : __real_io_uring_submit_and_wait_timeout(ring, cqe, count, limit, mask);
}
