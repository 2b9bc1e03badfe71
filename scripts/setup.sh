#!/bin/sh
# Installs the Debian packages that building, testing and the demo need, as root or by sudo.
# Asks apt for nothing when all of them are there.
set -eu

packages="
    gcc g++ make pkg-config
    libibverbs-dev libibverbs1 ibverbs-providers ibverbs-utils
    librdmacm-dev libclang-dev
    python3 valgrind
"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup.sh: not a Debian system; these packages are needed:" $packages >&2
    exit 0
fi

missing=
for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "setup.sh: neither root nor sudo; install these:$missing" >&2
        exit 1
    }
    root=sudo
fi

echo "setup.sh: installing$missing"
install() { $root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $missing </dev/null; }
# The package lists may be absent or old; read them anew only if they do not do.
install 2>/dev/null || { $root apt-get -qq update && install; }
