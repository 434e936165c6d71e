#!/bin/sh
# Builds the images with podman on a Debian machine that reaches no image registry: the bases are made here, from Debian's
# packages and the workspace's Node. The npm registry is still needed. Run as root, in the checkout:
#
#     sh docker/build-offline.sh [TARGET …]        default: every target
#
# NODE_EXTRA_CA_CERTS   certificates to trust during the build, when the network re-signs TLS
# npm_config_registry   another npm registry than the one of this machine's npm
# DEBIAN_MIRROR         another Debian mirror
# TAG, REVISION         default: the version of package.json, the commit
set -eu
cd "$(dirname "$0")/.."

debian=localhost/sluice-base/debian:bookworm-slim
every_target="migrate management search write-gateway batcher executor sandbox crash-test sluice"

main() {
  need_programs
  export CONTAINERS_CONF="${CONTAINERS_CONF:-$PWD/docker/containers.conf}"
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT

  node_version=$(sed -n 's/^nodeVersion: *//p' pnpm-workspace.yaml)
  node=localhost/sluice-base/node:$node_version-bookworm-slim
  podman image exists "$debian" || make_debian_base
  podman image exists "$node" || make_node_base

  for target in "${@:-$every_target}"; do
    # shellcheck disable=SC2086  # the default is one word per target
    for name in $target; do build "$name"; done
  done
  podman images --filter reference='localhost/sluice/*' --format 'table {{.Repository}}:{{.Tag}} {{.Size}}'
}

need_programs() {
  for program in podman debootstrap runc; do
    command -v $program >/dev/null && continue
    echo "$program is missing: apt-get install -y podman buildah runc netavark aardvark-dns iptables debootstrap" >&2
    exit 1
  done
  [ "$(id -u)" = 0 ] || { echo "debootstrap needs root" >&2; exit 1; }
}

make_debian_base() {
  echo "== $debian: debootstrap"
  debootstrap --variant=minbase bookworm "$scratch/rootfs" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$scratch/log" 2>&1 ||
    { tail -n 20 "$scratch/log" >&2; exit 1; }
  for folder in var/lib/apt/lists var/cache var/log usr/share/doc usr/share/man usr/share/info usr/share/locale; do
    find "$scratch/rootfs/$folder" -mindepth 1 -not -type d -not -name copyright -delete
  done
  tar -C "$scratch/rootfs" -c . | podman import --quiet - "$debian"
}

make_node_base() {
  echo "== $node"
  binary=$(node_modules/.bin/node -p process.execPath) ||
    { echo "the workspace is not installed: node deploy/local/bootstrap.mjs stack status" >&2; exit 1; }
  [ "$("$binary" --version)" = "v$node_version" ] || { echo "$binary is not Node $node_version" >&2; exit 1; }
  mkdir "$scratch/node"
  cp "$binary" "$scratch/node/node"
  printf 'FROM %s\nCOPY node /usr/local/bin/node\n' "$debian" >"$scratch/node/Dockerfile"
  podman build --quiet --tag "$node" "$scratch/node"
}

build() {
  tag=${TAG:-$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)}
  revision=${REVISION:-$(git rev-parse HEAD 2>/dev/null || echo unknown)}
  echo "== sluice/$1:$tag"
  # Docker's format, because OCI's has no HEALTHCHECK. The labels once more: podman takes those of another version from its cache.
  podman build --format docker --layers --file docker/Dockerfile --target "$1" --tag "localhost/sluice/$1:$tag" \
    --build-arg NODE_IMAGE="$node" --build-arg RUNTIME_IMAGE="$debian" \
    --build-arg NPM_REGISTRY="${npm_config_registry:-$(npm config get registry 2>/dev/null)}" \
    --build-arg VERSION="$tag" --build-arg REVISION="$revision" \
    --label "org.opencontainers.image.version=$tag" --label "org.opencontainers.image.revision=$revision" \
    ${NODE_EXTRA_CA_CERTS:+--secret "id=ca,src=$NODE_EXTRA_CA_CERTS"} \
    . >"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log" >&2; exit 1; }
}

main "$@"
