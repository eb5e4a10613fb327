/*
 * Protection domains and the memory registered in them. Answers are handles, or
 * numbers >= 0, or an errno as a negative number.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io_mgtm_rdma_DomainCalls.h"
#include "rdma_parts.h"

static void destroy(struct domain *domain) {
    if (domain->pd != NULL) {
        ibv_dealloc_pd(domain->pd);
    }
    if (domain->id != NULL) {
        rdma_destroy_id(domain->id);
    }
    if (domain->events != NULL) {
        rdma_destroy_event_channel(domain->events);
    }
    free(domain);
}

static int set_up(struct domain *domain) {
    domain->events = rdma_parts_channel();
    if (domain->events == NULL || rdma_create_id(domain->events, &domain->id, NULL, RDMA_PS_TCP) != 0 ||
        rdma_bind_addr(domain->id, (struct sockaddr *)&domain->address) != 0) {
        return -errno;
    }
    if (domain->id->verbs == NULL) { /* as with 0.0.0.0: no device has this address */
        return -ENODEV;
    }
    domain->pd = ibv_alloc_pd(domain->id->verbs);
    return domain->pd == NULL ? -errno : 0;
}

/* How many RDMA devices there are. */
JNIEXPORT jint JNICALL Java_io_mgtm_rdma_DomainCalls_devices(JNIEnv *env, jclass type) {
    (void)env;
    (void)type;
    int count = 0;
    struct ibv_device **devices = ibv_get_device_list(&count);
    if (devices == NULL) {
        return -errno;
    }
    ibv_free_device_list(devices);
    return count;
}

JNIEXPORT jlong JNICALL Java_io_mgtm_rdma_DomainCalls_open(JNIEnv *env, jclass type, jbyteArray ip, jint scope) {
    (void)type;
    struct domain *domain = calloc(1, sizeof *domain);
    if (domain == NULL) {
        return -ENOMEM;
    }
    int error = rdma_parts_address(env, ip, scope, 0, &domain->address) ? set_up(domain) : -EAFNOSUPPORT;
    if (error < 0) {
        destroy(domain);
        return error;
    }
    return (jlong)(intptr_t)domain;
}

JNIEXPORT jstring JNICALL Java_io_mgtm_rdma_DomainCalls_deviceName(JNIEnv *env, jclass type, jlong handle) {
    (void)type;
    struct domain *domain = (struct domain *)(intptr_t)handle;
    return (*env)->NewStringUTF(env, ibv_get_device_name(domain->id->verbs->device));
}

JNIEXPORT void JNICALL Java_io_mgtm_rdma_DomainCalls_close(JNIEnv *env, jclass type, jlong handle) {
    (void)env;
    (void)type;
    destroy((struct domain *)(intptr_t)handle);
}

/* keys: the local and the remote one. */
JNIEXPORT jlong JNICALL Java_io_mgtm_rdma_DomainCalls_register(
    JNIEnv *env, jclass type, jlong handle, jlong address, jlong length, jboolean remote, jintArray keys) {
    (void)type;
    struct domain *domain = (struct domain *)(intptr_t)handle;
    int access = IBV_ACCESS_LOCAL_WRITE | (remote ? IBV_ACCESS_REMOTE_WRITE : 0);
    struct ibv_mr *region = ibv_reg_mr(domain->pd, (void *)(intptr_t)address, (size_t)length, access);
    if (region == NULL) {
        return -errno;
    }
    jint found[2] = {(jint)region->lkey, (jint)region->rkey};
    (*env)->SetIntArrayRegion(env, keys, 0, 2, found);
    return (jlong)(intptr_t)region;
}

JNIEXPORT jint JNICALL Java_io_mgtm_rdma_DomainCalls_deregister(JNIEnv *env, jclass type, jlong region) {
    (void)env;
    (void)type;
    return -ibv_dereg_mr((struct ibv_mr *)(intptr_t)region);
}
