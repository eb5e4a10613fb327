/* The eventfd by which other threads end a queue's or a connection's wait. */
#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "io_mgtm_jni_Wakeup.h"

JNIEXPORT jint JNICALL Java_io_mgtm_jni_Wakeup_open(JNIEnv *env, jclass type) {
    (void)env;
    (void)type;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

JNIEXPORT void JNICALL Java_io_mgtm_jni_Wakeup_signal(JNIEnv *env, jclass type, jint fd) {
    (void)env;
    (void)type;
    uint64_t one = 1;
    while (write(fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

JNIEXPORT void JNICALL Java_io_mgtm_jni_Wakeup_close(JNIEnv *env, jclass type, jint fd) {
    (void)env;
    (void)type;
    close(fd);
}
