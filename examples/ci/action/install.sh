#!/usr/bin/env bash
# Installs the Debian package PACKAGE (path or URL) unless warpbound is on PATH and no package is named.
set -euo pipefail
if [ -z "${PACKAGE:-}" ]; then
  if command -v warpbound >/dev/null; then exit 0; fi
  echo "::error::warpbound is not on PATH; name its Debian package in the input 'package'"
  exit 2
fi
file=$PACKAGE
case $PACKAGE in
  http://*) echo "::error::a package from an http address can be replaced on its way; use https"; exit 2 ;;
  https://*)
    file=${RUNNER_TEMP:-/tmp}/warpbound.deb
    curl --fail --location --silent --show-error --output "$file" "$PACKAGE" ;;
esac
if [ ! -f "$file" ]; then
  echo "::error::there is no package $file"
  exit 2
fi
sudo apt-get update -q
sudo apt-get install -y -q --no-install-recommends "$(realpath "$file")"
