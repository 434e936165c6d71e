#!/bin/sh
# What the official image does with POSTGRES_USER, POSTGRES_PASSWORD and POSTGRES_DB, and with options of the server as arguments; run by its user.
set -eu
data=/var/lib/postgresql/docker

if [ ! -s "$data/PG_VERSION" ]; then
  mkdir -p -m 700 "$data"
  printf '%s\n' "$POSTGRES_PASSWORD" > /tmp/password
  initdb --pgdata="$data" --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
  echo "create database \"$POSTGRES_DB\"" | postgres --single -D "$data" postgres
fi
exec postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"
