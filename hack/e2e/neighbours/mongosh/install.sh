#!/usr/bin/env bash
# Prints the path of mongosh, in the version and with the content that package-lock.json pins, after installing it into the
# cache if it is not there yet: 150 MB. On Debian Node.js and npm are installed as well. The path goes to standard output and
# everything else to standard error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

cache=${MONGOBENCH_CACHE:-$HOME/.cache/mongobench}/mongosh
{ command -v node && command -v npm; } >/dev/null || ../../../make/prerequisites.sh nodejs npm >&2
if ! cmp --silent package-lock.json "$cache/installed-lock.json"; then
	echo "mongosh: installing the npm packages of $PWD/package-lock.json into $cache" >&2
	mkdir -p "$cache"
	cp package.json package-lock.json "$cache/"
	# What is optional are compiled parts, which other ways to log in need.
	(cd "$cache" && npm ci --ignore-scripts --omit=optional --no-audit --no-fund --loglevel error) >&2
	cp package-lock.json "$cache/installed-lock.json"
fi
echo "$cache/node_modules/.bin/mongosh"
