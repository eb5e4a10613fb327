/*
 * The addresses of direct buffers. Java keeps the buffers alive for as long as
 * anything here, in the kernel or in a device may use an address.
 */
#include <stdint.h>

#include "io_mgtm_jni_Memory.h"

JNIEXPORT jlong JNICALL Java_io_mgtm_jni_Memory_addressOf(JNIEnv *env, jclass type, jobject buffer) {
    (void)type;
    return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

JNIEXPORT jint JNICALL Java_io_mgtm_jni_Memory_abi(JNIEnv *env, jclass type) {
    (void)env;
    (void)type;
    return io_mgtm_jni_Memory_ABI;
}
