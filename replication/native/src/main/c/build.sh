#!/bin/sh
# Builds the C libraries into DIR, each with its SHA-256 beside it. One that cannot be built here
# leaves the reason in lib<name>.missing, and the program then uses what Java has, and says so.
#
#   build.sh DIR HEADERS JAVA_HOME plain|asan|skip
#
# HEADERS is where javac put the headers of the native methods. CC names another compiler.
set -eu
out=$1 headers=$2 java_home=$3 variant=$4
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}
flags="-std=gnu11 -O2 -g -fPIC -shared -fvisibility=hidden -Wall -Wextra -Werror -Wshadow -Wconversion
 -Wno-sign-conversion -fstack-protector-strong -D_GNU_SOURCE -D_FORTIFY_SOURCE=2 -Wl,-z,relro,-z,now
 -ffile-prefix-map=$here=."
[ "$variant" != asan ] || flags="$flags -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -U_FORTIFY_SOURCE"

asan=$("$cc" -print-file-name=libasan.so 2> /dev/null || true)
mkdir -p "$out"
rm -f "$out"/lib*.so "$out"/lib*.sha256 "$out"/lib*.missing

missing() { # NAME REASON
    echo "$2" > "$out/lib$1.missing"
    echo "[WARNING] native: lib$1.so is not built: $2" >&2
}

has_header() {
    echo "#include <$1>" | "$cc" -E -x c - > /dev/null 2>&1
}

build() { # NAME HEADER PACKAGE LIBRARIES SOURCE...
    name=$1 header=$2 package=$3 libraries=$4
    shift 4
    if [ "$variant" = skip ]; then
        missing "$name" "this jar was built with -Dnative.build=skip"
    elif [ "$(uname -s)" != Linux ]; then
        missing "$name" "this jar was built on $(uname -s), and the library is for Linux only"
    elif ! command -v "$cc" > /dev/null; then
        missing "$name" "this jar was built without a C compiler: apt-get install gcc libc6-dev, and build it again"
    elif [ ! -e "$java_home/include/jni.h" ]; then
        missing "$name" "this jar was built without jni.h in $java_home/include: build it with a whole JDK"
    elif [ "$variant" = asan ] && [ ! -e "$asan" ]; then
        missing "$name" "the compiler has no AddressSanitizer: apt-get install libgcc-12-dev, or that of your gcc"
    elif ! has_header "$header"; then
        missing "$name" "this jar was built without <$header>: apt-get install $package, and build it again"
    else
        # shellcheck disable=SC2086
        (cd "$here" && "$cc" $flags -I"$headers" -I"$java_home/include" -I"$java_home/include/linux" \
            -o "$out/lib$name.so" "$@" $libraries)
        (cd "$out" && sha256sum "lib$name.so" > "lib$name.so.sha256")
    fi
}

uring=-luring # the static one, where there is one, spares the user the package
[ ! -e "/usr/lib/$(uname -m)-linux-gnu/liburing.a" ] || uring=-l:liburing.a

refusing=
[ "$variant" != asan ] || refusing="$here/../../test/c/refusing.c
 -Wl,--wrap=io_uring_submit -Wl,--wrap=io_uring_submit_and_wait_timeout"

# shellcheck disable=SC2086
build mgtm_flash liburing.h liburing-dev "$uring" memory.c wakeup.c file.c ring.c $refusing
build mgtm_rdma rdma/rdma_cma.h "libibverbs-dev librdmacm-dev" "-lrdmacm -libverbs" memory.c wakeup.c \
    rdma_parts.c rdma_domain.c rdma_listener.c rdma_connect.c rdma_transfer.c
if [ "$variant" = asan ]; then
    build mgtm_planted stdlib.h libc6-dev "" "$here/../../test/c/planted.c"
    realpath "$asan" > "$out/asan.path"
fi
