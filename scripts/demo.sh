#!/bin/sh
# demo.sh SIMULATOR DROP-IN-FOLDER [DEVICE]
#
# Compiles examples/events.c against the drop-in folder and runs it with this libmlx5: on the
# software ConnectX, or on a real card if a device is named.
set -eu

simulator=$1 dist=$2 device=${3:-}
examples=$(CDPATH='' cd -- "$(dirname -- "$0")/../examples" && pwd)
program=$dist/events

echo "== compile examples/events.c with pkg-config"
flags=$(PKG_CONFIG_PATH=$dist/lib/pkgconfig pkg-config --cflags --libs libmlx5 libibverbs)
# shellcheck disable=SC2086 # flags are words
"${CC:-cc}" -Wall -o "$program" "$examples/events.c" $flags

if [ -n "$device" ]; then
    echo "== run it on $device"
    exec "$dist/bin/with-mlx5" "$program" "$device"
fi
echo "== run it on the software ConnectX (a port, and a companion function for data direct)"
exec "$simulator" run --data-direct -- "$dist/bin/with-mlx5" "$program"
