#!/bin/sh
# options.sh: brings the --help of all programs in docs/options.md up to date. Called from the
# project's root after an option has changed.
set -eu
export LC_ALL=C.UTF-8 # in English
page=docs/options.md
names=$(sed -n 's/^NAMES = //p' Makefile)
: "${names:?the Makefile has no NAMES}"
{
    sed '/^## train$/,$d' $page
    for name in $names; do
        printf '## %s\n\n```\n$ ./%s --help\n' $name $name
        ./$name --help
        printf '```\n\n'
    done
} >$page.new
sed -i '$d' $page.new
mv $page.new $page
