#!/usr/bin/env bash
# Opens report pages, and what kubectl mongobench ui serves, in a real headless Chromium: makes the pages, installs what
# the tests need, and runs them.
#
#   hack/page/test.sh [FILE...]     some test files, or ui.js; all of them without any
#
# Chromium comes from the distribution (apt-get, as root), or is what CHROMIUM names. The npm packages, pinned by
# package-lock.json, lie in the cache; hack/page/node_modules leads there and Git ignores it. PICTURES names a folder for
# pictures of the pages, for people to look at.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export MONGOBENCH_CACHE=${MONGOBENCH_CACHE:-$HOME/.cache/mongobench}
cache=$MONGOBENCH_CACHE/page
kubernetes_version=v1.36.3
say() { echo "page-test: $*"; }

packages=()
[[ -n ${CHROMIUM:-} ]] || command -v chromium >/dev/null || packages+=(chromium)
command -v npm >/dev/null || packages+=(nodejs npm)
if ((${#packages[@]})); then
	hack/make/prerequisites.sh "${packages[@]}"
fi
export CHROMIUM=${CHROMIUM:-$(command -v chromium)}

mkdir -p "$cache"
if ! cmp --silent hack/page/package-lock.json "$cache/installed-lock.json"; then
	say "installing the npm packages of hack/page/package-lock.json into $cache"
	cp hack/page/package.json hack/page/package-lock.json "$cache/"
	(cd "$cache" && npm ci --ignore-scripts --no-audit --no-fund --loglevel error)
	cp hack/page/package-lock.json "$cache/installed-lock.json"
fi
ln -sfn "$cache/node_modules" hack/page/node_modules

PAGES=$(mktemp -d)
export PAGES
trap 'rm -rf "$PAGES"' EXIT
[[ -z ${PICTURES:-} ]] || mkdir -p "$PICTURES"

files=() ui=
for file in "$@"; do
	if [[ $file == *ui.js ]]; then ui=1; else files+=("$file"); fi
done
if (($# == 0)); then
	files=(hack/page/*.test.js) ui=1
fi

if ((${#files[@]})); then
	say "writing the pages"
	go run ./cmd/kubectl-mongobench/internal/testing/madeup/pages -folder "$PAGES"
	say "opening them in $("$CHROMIUM" --version 2>/dev/null || echo "$CHROMIUM")"
	# One after the other: a page is timed as it opens.
	node --test --test-concurrency=1 "${files[@]}"
fi
if [[ -n $ui ]]; then
	say "following a live view, with the API server of $MONGOBENCH_CACHE/kubernetes/$kubernetes_version"
	go -C hack/cluster run . build
	export KUBEBUILDER_ASSETS=$MONGOBENCH_CACHE/kubernetes/$kubernetes_version/bin
	go test -tags e2e -count 1 -timeout 5m -run '^TestUIInABrowser$' ./cmd/kubectl-mongobench
fi
