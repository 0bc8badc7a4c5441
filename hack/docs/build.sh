#!/usr/bin/env bash
# Builds the documentation site from docs/ into dist/docs: pictures of report pages first, then the pages, of which every
# link, and heading that one leads to, is checked. What is built needs no server and no network.
#
#   hack/docs/build.sh [pictures]     only the pictures, into dist/pictures
#
# MkDocs and its theme come from PyPI, as requirements.txt pins them by their hashes, into the cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cache=${MONGOBENCH_CACHE:-$HOME/.cache/mongobench}/docs
say() { echo "docs: $*"; }

# What the pages ask for with <!-- picture NAME: ... -->; hooks.py puts it in.
say "taking pictures of report pages"
rm -rf dist/pictures
PICTURES=$PWD/dist/pictures hack/page/test.sh hack/docs/pictures.js
[[ ${1:-} != pictures ]] || exit 0

hash=$(sha256sum hack/docs/requirements.txt | cut -c 1-12)
if [[ ! -x $cache/$hash/bin/python ]]; then
	say "installing MkDocs into $cache/$hash"
	hack/make/prerequisites.sh python3-venv
	mkdir -p "$cache"
	staging=$(mktemp -d "$cache/.venv.XXXXXX")
	trap 'rm -rf "$staging"' EXIT
	python3 -m venv "$staging"
	timeout 600 "$staging/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
		--requirement hack/docs/requirements.txt
	# Programs in it name their folder. This one is run by the folder's Python, and so may move.
	rm -rf "${cache:?}/$hash"
	mv "$staging" "$cache/$hash"
fi

say "building dist/docs"
# Not --quiet: its strictness counts the warnings that it logs.
PYTHONDONTWRITEBYTECODE=1 NO_MKDOCS_2_WARNING=1 "$cache/$hash/bin/python" -m mkdocs build --clean \
	--config-file hack/docs/mkdocs.yml
go -C hack/docs run . check "$PWD/dist/docs"
say "opening it as a file, without a network"
CHROMIUM=${CHROMIUM:-$(command -v chromium)} SITE=$PWD/dist/docs node --test --test-reporter spec hack/docs/site.js
say "dist/docs/index.html is the first page"
