/* Faults on purpose: they show that the checks of the C libraries would find such a fault. */
#include <jni.h>
#include <stdlib.h>

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic ignored "-Wuse-after-free" /* that is the fault */
#endif

JNIEXPORT jint JNICALL Java_io_mgtm_jni_PlantedFault_writeBehindMemory(JNIEnv *env, jclass type, jint size) {
    (void)env;
    (void)type;
    volatile char *memory = malloc((size_t)size);
    if (memory == NULL) {
        return -1;
    }
    memory[size] = 1;
    free((void *)memory);
    return 0;
}

JNIEXPORT jint JNICALL Java_io_mgtm_jni_PlantedFault_useAfterFree(JNIEnv *env, jclass type, jint size) {
    (void)env;
    (void)type;
    volatile char *memory = malloc((size_t)size);
    free((void *)memory);
    return memory[0];
}

JNIEXPORT void JNICALL Java_io_mgtm_jni_PlantedFault_ignoreException(JNIEnv *env, jclass type, jintArray array) {
    (void)type;
    jint number;
    (*env)->GetIntArrayRegion(env, array, 1000, 1, &number); /* throws */
    (*env)->GetIntArrayRegion(env, array, 0, 1, &number);
}
