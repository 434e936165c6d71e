#!/bin/sh
# Builds the three stand-ins with podman, on the base that docker/build-offline.sh made. Apache Kafka's jars are those of the checkout's stack.
set -eu
cd "$(dirname "$0")"

jars="${XDG_CACHE_HOME:-$HOME/.cache}/sluice/kafka-4.3.1"
# Starting the stack fetches them.
[ -d "$jars" ] || node ../../../deploy/local/bootstrap.mjs stack start >/dev/null
[ -d "$jars" ] || { echo "no jars of Apache Kafka in $jars" >&2; exit 1; }

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
cp Dockerfile ./*.sh "$context"
cp -r "$jars" "$context/jars"
for target in postgres redis kafka; do
  echo "== localhost/sluice-stand-in/$target"
  podman build --quiet --format docker --layers --target "$target" --tag "localhost/sluice-stand-in/$target:1" "$context"
done
