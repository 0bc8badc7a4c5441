#!/usr/bin/env bash
# Puts the charting library of the report pages into the tree, in the version that package-lock.json of its folder pins
# and with the content that it has the hash of. hack/verify/generated.sh says whether the files in the tree are those.
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

package=$cache/node_modules/uplot
install -m 0644 "$package"/dist/uPlot.{iife.min.js,min.css} "$vendor/"
install -m 0644 "$package/LICENSE" "$vendor/uPlot.LICENSE"
say "$vendor is as in the package that it pins"
