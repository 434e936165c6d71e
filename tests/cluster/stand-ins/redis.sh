#!/bin/sh
# As in the official image, other pods may connect without a password.
set -eu
exec "$@" --protected-mode no
