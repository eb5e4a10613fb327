/*
 * System calls on one file. Each answers a number >= 0, or an errno as a negative
 * number; Java has checked the arguments and holds the descriptor open meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io_mgtm_flash_FileCalls.h"

#define IS(mode, kind) (((mode) & 0170000) == (kind))

static jlong result(long answer) {
    return answer < 0 ? -errno : answer;
}

JNIEXPORT jint JNICALL Java_io_mgtm_flash_FileCalls_open(JNIEnv *env, jclass type, jbyteArray path, jint how) {
    (void)type;
    char name[PATH_MAX];
    jsize length = (*env)->GetArrayLength(env, path);
    if (length >= (jsize)sizeof name) {
        return -ENAMETOOLONG;
    }
    (*env)->GetByteArrayRegion(env, path, 0, length, (jbyte *)name);
    if ((*env)->ExceptionCheck(env)) {
        return -EFAULT;
    }
    name[length] = '\0';
    int flags = O_CLOEXEC;
    flags |= (how & io_mgtm_flash_FileCalls_WRITABLE) ? O_RDWR : O_RDONLY;
    flags |= (how & io_mgtm_flash_FileCalls_CREATE) ? O_CREAT : 0;
    flags |= (how & io_mgtm_flash_FileCalls_DIRECT) ? O_DIRECT : 0;
    int fd;
    do {
        fd = open(name, flags, 0600);
    } while (fd < 0 && errno == EINTR);
    return (jint)result(fd);
}

JNIEXPORT jint JNICALL Java_io_mgtm_flash_FileCalls_close(JNIEnv *env, jclass type, jint fd) {
    (void)env;
    (void)type;
    return (jint)result(close(fd));
}

/* facts: kind, preferred or logical block size, direct alignment (0: direct I/O does not work). */
JNIEXPORT jint JNICALL Java_io_mgtm_flash_FileCalls_facts(JNIEnv *env, jclass type, jint fd, jlongArray facts) {
    (void)type;
    struct statx stat = {0};
    unsigned mask = STATX_TYPE;
#ifdef STATX_DIOALIGN
    mask |= STATX_DIOALIGN;
#endif
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, mask, &stat) < 0) {
        return -errno;
    }
    jlong kind = io_mgtm_flash_FileCalls_OTHER;
    jlong block = stat.stx_blksize;
    jlong align = io_mgtm_flash_FileCalls_ALIGNMENT_ASSUMED;
    if (IS(stat.stx_mode, S_IFREG)) {
        kind = io_mgtm_flash_FileCalls_REGULAR;
    } else if (IS(stat.stx_mode, S_IFDIR)) {
        kind = io_mgtm_flash_FileCalls_DIRECTORY;
    } else if (IS(stat.stx_mode, S_IFBLK)) {
        int logical = 0;
        if (ioctl(fd, BLKSSZGET, &logical) < 0) {
            return -errno;
        }
        kind = io_mgtm_flash_FileCalls_BLOCK_DEVICE;
        block = align = logical;
    }
#ifdef STATX_DIOALIGN
    if (stat.stx_mask & STATX_DIOALIGN) {
        align = stat.stx_dio_mem_align > stat.stx_dio_offset_align ? stat.stx_dio_mem_align
                                                                   : stat.stx_dio_offset_align;
        align = stat.stx_dio_offset_align == 0 ? 0 : align;
    }
#endif
    jlong answer[3] = {kind, block, align};
    (*env)->SetLongArrayRegion(env, facts, 0, 3, answer);
    return (*env)->ExceptionCheck(env) ? -EFAULT : 0;
}

JNIEXPORT jlong JNICALL Java_io_mgtm_flash_FileCalls_size(JNIEnv *env, jclass type, jint fd, jboolean device) {
    (void)env;
    (void)type;
    if (device) {
        uint64_t size = 0;
        return ioctl(fd, BLKGETSIZE64, &size) < 0 ? -errno : (jlong)size;
    }
    struct statx stat = {0};
    return syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_SIZE, &stat) < 0 ? -errno : (jlong)stat.stx_size;
}

JNIEXPORT jint JNICALL Java_io_mgtm_flash_FileCalls_resize(JNIEnv *env, jclass type, jint fd, jlong size) {
    (void)env;
    (void)type;
    return (jint)result(ftruncate(fd, size));
}

JNIEXPORT jint JNICALL Java_io_mgtm_flash_FileCalls_sync(JNIEnv *env, jclass type, jint fd) {
    (void)env;
    (void)type;
    return (jint)result(fdatasync(fd));
}

JNIEXPORT jlong JNICALL Java_io_mgtm_flash_FileCalls_seek(JNIEnv *env, jclass type, jint fd, jlong offset, jboolean hole) {
    (void)env;
    (void)type;
    return result(lseek(fd, offset, hole ? SEEK_HOLE : SEEK_DATA));
}

JNIEXPORT jint JNICALL Java_io_mgtm_flash_FileCalls_prefetch(JNIEnv *env, jclass type, jint fd, jlong offset, jlong length) {
    (void)env;
    (void)type;
    /* Unlike the others it answers the errno itself. */
    return -posix_fadvise(fd, offset, length, POSIX_FADV_WILLNEED);
}

/* Takes what is clean out of the page cache, the whole file's. */
JNIEXPORT jint JNICALL Java_io_mgtm_flash_FileCalls_evict(JNIEnv *env, jclass type, jint fd) {
    (void)env;
    (void)type;
    return -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* Block devices only: files are discarded through the ring. */
JNIEXPORT jint JNICALL Java_io_mgtm_flash_FileCalls_discard(JNIEnv *env, jclass type, jint fd, jlong offset, jlong length) {
    (void)env;
    (void)type;
    uint64_t range[2] = {(uint64_t)offset, (uint64_t)length};
    return (jint)result(ioctl(fd, BLKDISCARD, range));
}
