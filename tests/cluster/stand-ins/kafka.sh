#!/bin/sh
# What the official image does with KAFKA_*: KAFKA_NODE_ID=1 becomes node.id=1.
set -eu
properties=/tmp/server.properties
env | sed -n 's/^KAFKA_//p' | grep -v '^HEAP_OPTS=' | while IFS='=' read -r name value; do
  printf '%s=%s\n' "$(printf %s "$name" | tr 'A-Z_' 'a-z.')" "$value"
done > "$properties"
run() { java ${KAFKA_HEAP_OPTS:-} -XX:+UseSerialGC -cp '/opt/kafka/libs/*' "$@"; }

run kafka.tools.StorageTool format --ignore-formatted -t c2x1aWNlLXRyaWFsLWthZg -c "$properties"
# shellcheck disable=SC2086  # several options
exec java ${KAFKA_HEAP_OPTS:-} -XX:+UseSerialGC -cp '/opt/kafka/libs/*' kafka.Kafka "$properties"
