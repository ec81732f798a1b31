#!/usr/bin/env bash
# Runs each fuzz target of the module for the given time.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-60s}
grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u | while read -r package; do
  grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$package"/*_test.go | sed 's/func //' | while read -r target; do
    echo "== $package $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
  done
done
