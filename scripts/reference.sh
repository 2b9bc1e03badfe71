#!/bin/bash
# Roots with Debian's own rdma-core of the releases that this host does not carry, for use
# as the reference: unpacked packages, never installed, the host's apt left as it is.
#
#   scripts/reference.sh [fetch] [RELEASE...]    lay the roots (56.1 and 65.0)
#   scripts/reference.sh root RELEASE            print the folder of a root
#   scripts/reference.sh lib RELEASE             print the folder of its shared libraries
#   scripts/reference.sh pkgconfig RELEASE       print a PKG_CONFIG_PATH that compiles against it
#   scripts/reference.sh run RELEASE PROGRAM...  run a program with that root's loader and libraries
#   scripts/reference.sh command RELEASE PROGRAM print that command, one word a line, for callers
#                                                that would rather not have this shell in between
#
# Release 44.0 is the host's own (Debian 12); its "root" is /.
#
# `run` needs no chroot and no privilege: the root's dynamic loader is started by its path
# with the root's libraries. A program that is a plain name is looked up in the root first.
# Two things of libibverbs are compiled in and would lead out of the root: the folder of the
# provider plug-ins (56.1 has the host's private number 34, so it would take the host's
# provider) and the list of drivers in /etc. So the provider is preloaded: it registers when
# it is loaded, and libibverbs looks for no plug-in while every device has found a driver.
# RDMAV_DRIVERS names it as well. With MLX5_DIR=FOLDER, a folder with libmlx5.so.1 and the
# libmlx5-rdmavNN.so links, that library serves in the provider's place.
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/mlx5-rs/ref
triplet=$(cc -print-multiarch 2>/dev/null || true)
triplet=${triplet:-$(uname -m)-linux-gnu}
packages=(libibverbs1 ibverbs-providers ibverbs-utils libibverbs-dev python3-pyverbs perftest
    librdmacm1t64 rdmacm-utils libc6 libc6-dev coreutils base-files)

die() { echo "reference.sh: $*" >&2; exit 1; }

suite_of() {
    case $1 in
    56.1) echo trixie ;;
    65.0) echo sid ;;
    *) die "no root for release '$1' (have 44.0, the host's, and 56.1, 65.0)" ;;
    esac
}

root_of() { if [ "$1" = 44.0 ]; then echo /; else suite_of "$1" >/dev/null; echo "$cache/$1"; fi; }

# The archive that this machine itself uses for its Debian packages.
mirror() {
    if [ -n "${MLX5_REF_MIRROR:-}" ]; then echo "$MLX5_REF_MIRROR"; return; fi
    local codename
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v c="$codename" '$2 == c && $3 == "main" { print $1; exit }'
}

# apt with a state, cache and source list of its own; proxies and the like stay the machine's.
apt_in() {
    local state=$1
    shift
    apt-get -qq \
        -o Dir::State="$state/state" -o Dir::State::status="$state/status" \
        -o Dir::State::extended_states="$state/extended" \
        -o Dir::Cache="$state/cache" -o Dir::Cache::archives="$state/archives" \
        -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
        -o Dir::Log="$state" -o APT::Sandbox::User=root -o APT::Install-Recommends=false \
        -o APT::Default-Release= -o Acquire::Languages=none -o Acquire::Retries=3 \
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
        -o Debug::NoLocking=1 "$@"
}

# What shows that a root is whole: written last, with the version that was unpacked.
complete() { [ -f "$cache/$1/.complete" ] && [ -e "$(providers_in "$cache/$1")" ] && [ -d "$cache/$1/devel" ]; }

# The root's verbs headers and libraries in a place of their own: its /usr/include also holds
# a C library that is not this host's. Programs are linked with the host's C library, so what
# the root's libraries want of a newer one is not the link editor's concern.
lay_dev() {
    local root=$1 final=$2 name version
    mkdir -p "$root/devel"/{include,lib,pkgconfig}
    ln -sfn ../../usr/include/infiniband "$root/devel/include/infiniband"
    for name in ibverbs mlx5; do
        ln -sfn "../../usr/lib/$triplet/$(basename "$(readlink "$root/usr/lib/$triplet/lib$name.so.1")")" "$root/devel/lib/lib$name.so"
        version=$(sed -n 's/^Version: //p' "$root/usr/lib/$triplet/pkgconfig/lib$name.pc")
        cat >"$root/devel/pkgconfig/lib$name.pc" <<PC
Name: lib$name
Description: lib$name of the reference root
Version: $version
Libs: -L$final/devel/lib -Wl,--allow-shlib-undefined -l$name
Cflags: -I$final/devel/include
PC
    done
}

providers_in() {
    local first
    first=$(compgen -G "$1/usr/lib/$triplet/libibverbs/libmlx5-rdmav*.so" | head -n1 || true)
    echo "${first:-$1/no-provider}"
}

fetch() {
    local release=$1 root=$cache/$1 state=$cache/.apt-$1 suite uri keyring have deb
    complete "$release" && return 0
    suite=$(suite_of "$release")
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
        die "the reference roots are laid with apt-get and dpkg-deb, which this machine lacks"
    uri=$(mirror)
    [ -n "$uri" ] || die "no Debian archive in this machine's apt configuration (set MLX5_REF_MIRROR)"
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    mkdir -p "$state"/{state/lists/partial,cache,archives/partial}
    exec 8>"$state/lock"
    flock 8
    complete "$release" && return 0
    : >"$state/status"
    echo "deb [signed-by=$keyring arch=$(dpkg --print-architecture)] $uri $suite main" >"$state/sources.list"
    echo "reference $release: reading the package lists of $suite"
    apt_in "$state" update || die "apt-get update for $suite failed"
    have=$(apt_in "$state" --print-uris --yes install ibverbs-providers |
        sed -n 's/.*ibverbs-providers_\([^_]*\)_.*/\1/p' | head -n1)
    case $have in
    "$release"-*) ;;
    *) die "$suite carries rdma-core '${have:-none}', not $release: this root cannot be laid from this archive" ;;
    esac
    echo "reference $release: fetching rdma-core $have and what it needs"
    apt_in "$state" --yes --download-only install "${packages[@]}" >/dev/null || die "download for $suite failed"

    rm -rf "$root.new"
    mkdir -p "$root.new"/usr/{bin,sbin,lib,lib64}
    for d in bin sbin lib lib64; do ln -s "usr/$d" "$root.new/$d"; done
    for deb in "$state"/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" |
            tar -x -C "$root.new" --no-same-owner --keep-directory-symlink --skip-old-files \
                --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*'
    done
    [ -e "$(providers_in "$root.new")" ] || die "the unpacked root of $release has no mlx5 provider"
    lay_dev "$root.new" "$root"
    echo "$have" >"$root.new/.complete"
    rm -rf "$root"
    mv "$root.new" "$root"
    rm -rf "$state"
    echo "reference $release: ready ($have)"
}

# The words that run a program, into the array `words`.
command_for() {
    local release=$1 program=$2 root folder own loader lib
    shift 2
    root=$(root_of "$release")
    words=(env)
    if [ "$release" = 44.0 ]; then
        if [ -n "${MLX5_DIR:-}" ]; then
            words+=("LD_LIBRARY_PATH=$MLX5_DIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "RDMAV_DRIVERS=$MLX5_DIR/libmlx5")
        fi
        words+=("$program" "$@")
        return
    fi
    complete "$release" || die "no root of $release yet: run scripts/reference.sh fetch $release"
    if [[ $program != */* ]]; then
        for folder in "$root/usr/bin" "$root/usr/sbin"; do
            if [ -x "$folder/$program" ]; then
                program=$folder/$program
                break
            fi
        done
    fi
    [[ $program == */* ]] || program=$(command -v "$program") || die "$program: not found"
    lib=$root/usr/lib/$triplet
    own=$(providers_in "$root")
    loader=$(readlink -e "$root"/lib64/ld-linux-*.so.* "$root"/lib/ld-linux-*.so.* 2>/dev/null | head -n1 || true)
    [ -n "$loader" ] || die "no dynamic loader in $root"
    if [[ $program == "$root"/usr/bin/python3* ]]; then words+=("PYTHONHOME=$root/usr"); fi
    if [ -n "${MLX5_DIR:-}" ]; then
        words+=("RDMAV_DRIVERS=$MLX5_DIR/libmlx5" "$loader" --argv0 "$program"
            --preload "$MLX5_DIR/libmlx5.so.1" --library-path "$MLX5_DIR:$lib")
    else
        words+=("RDMAV_DRIVERS=${own%-rdmav*}" "$loader" --argv0 "$program"
            --preload "$lib/libmlx5.so.1" --library-path "$lib")
    fi
    words+=("$program" "$@")
}

case ${1:-fetch} in
root) root_of "${2:?release}" ;;
lib) if [ "${2:?release}" = 44.0 ]; then echo "/usr/lib/$triplet"; else echo "$(root_of "$2")/usr/lib/$triplet"; fi ;;
pkgconfig) if [ "${2:?release}" = 44.0 ]; then echo; else echo "$(root_of "$2")/devel/pkgconfig"; fi ;;
run)
    [ $# -ge 3 ] || die "usage: reference.sh run RELEASE PROGRAM [ARGUMENT...]"
    shift
    command_for "$@"
    exec "${words[@]}"
    ;;
command)
    [ $# -ge 3 ] || die "usage: reference.sh command RELEASE PROGRAM [ARGUMENT...]"
    shift
    command_for "$@"
    printf '%s\n' "${words[@]}"
    ;;
fetch)
    [ $# -eq 0 ] || shift
    [ $# -gt 0 ] || set -- 56.1 65.0
    for release; do [ "$release" = 44.0 ] || fetch "$release"; done
    ;;
*) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 2 ;;
esac
