#!/bin/sh
# SPDX-License-Identifier: MIT
# simulation.sh - nbody gives bit for bit the same positions on every ground, with and without a
# cache or a memory that is too small, and its forces are right (nbody itself compares them with direct sums).
#
#   simulation.sh NBODY [WINE.SH]
set -eu

nbody=$1
wine=${2:-}
wanted=

# Runs it, and compares the checksum with the first run's.
run() {
    output=$(${wine:+sh "$wine"} "$nbody" --raw --bodies 1000 --steps 3 "$@") || {
        echo "nbody $*: exit code $?: $output"
        exit 1
    }
    output=$(echo "$output" | tr -d '\r')
    sum=$(echo "$output" | sed -n 's/^checksum //p')
    misses=$(echo "$output" | sed -n 's/^misses //p')
    : "${wanted:=$sum}"
    if [ -z "$sum" ] || [ "$sum" != "$wanted" ]; then
        echo "nbody $*: checksum $sum, not $wanted"
        exit 1
    fi
}

run --sequential
for ground in ums user kernel spin; do
    for processors in 1 2 3; do
        run --ground $ground --processors $processors
        if [ "$misses" != 0 ]; then
            echo "$ground: $misses misses though everything fits"
            exit 1
        fi
    done
    run --ground $ground --memory 60 --miss-ms 1 --window 8
    if [ "$misses" -lt 10 ]; then
        echo "$ground: $misses misses only with room for 60 percent"
        exit 1
    fi
    run --ground $ground --grain 1000 --window 1
done
run --ground ums --allocator nobody-is-called-this

# In short memory. Status 77 says that there is none: always so on Windows.
status=0
${wine:+sh "$wine"} "$nbody" --raw --bodies 1000 --steps 1 --memory 60 --miss-ms 1 --faults >/dev/null 2>&1 || status=$?
if [ "$status" != 77 ]; then
    for ground in ums user kernel; do
        run --ground $ground --memory 60 --miss-ms 1 --window 8 --faults
        if [ "$misses" -lt 10 ]; then
            echo "$ground: $misses page faults only with room for 60 percent"
            exit 1
        fi
    done
elif [ -z "$wine" ]; then
    echo "no userfaultfd here: nothing was tried in short memory"
fi
