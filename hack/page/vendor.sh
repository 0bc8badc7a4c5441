#!/usr/bin/env bash
# Puts the charting library of the report pages into the tree, in the version that package-lock.json of its folder pins
# and with the content that it has the hash of. With --check it only says whether the files in the tree are those of the
# package.
#
# The package is fetched once and kept in the cache. Without it and without npm the files in the tree stay as they are:
# a build must need no npm.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

vendor=cmd/kubectl-mongobench/internal/page/assets/vendor
cache=${MONGOBENCH_CACHE:-$HOME/.cache/mongobench}/page-vendor
say() { echo "vendor: $*"; }

if ! cmp --silent "$vendor/package-lock.json" "$cache/installed-lock.json"; then
	if ! command -v npm >/dev/null; then
		say "$vendor is not compared with its package, which is not in the cache: there is no npm here to fetch it"
		exit 0
	fi
	mkdir -p "$cache"
	cp "$vendor/package.json" "$vendor/package-lock.json" "$cache/"
	(cd "$cache" && npm ci --ignore-scripts --no-audit --no-fund --loglevel error >/dev/null)
	cp "$vendor/package-lock.json" "$cache/installed-lock.json"
fi

# file in the package, file in the tree
files=(
	dist/uPlot.iife.min.js uPlot.iife.min.js
	dist/uPlot.min.css uPlot.min.css
	LICENSE uPlot.LICENSE
)
changed=0
for ((i = 0; i < ${#files[@]}; i += 2)); do
	from=$cache/node_modules/uplot/${files[i]} to=$vendor/${files[i + 1]}
	if cmp --silent "$from" "$to"; then continue; fi
	if [[ ${1:-} == --check ]]; then
		changed=1
		say "$to is not that of the package"
	else
		install -m 0644 "$from" "$to"
		say "$to was put in place"
	fi
done
if [[ ${1:-} == --check ]]; then exit "$changed"; fi
say "$vendor is as in the package that it pins"
