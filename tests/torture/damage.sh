#!/bin/sh
# damage.sh: tests/programs/train/damage.c on every byte of every file of a tiny run; one line says how many.
# BUILD holds the test.
said=$(PULGA_EVERY=1 "${BUILD:-build}/tests/programs/train/damage" 2>&1) || { echo "$said"; exit 1; }
echo "$said" | grep '^damage'
