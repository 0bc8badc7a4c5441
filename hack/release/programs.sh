#!/usr/bin/env bash
# Builds the programs of a release, stamped with what they were built from, and packs each into an archive.
#
#   hack/release/programs.sh BINARIES ARCHIVES PROGRAM...     PROGRAM is a folder of cmd/
#
#   BINARIES/OS_ARCH/PROGRAM
#   ARCHIVES/PROGRAM_VERSION_OS_ARCH.tar.gz    the program with its licence; kubectl-mongobench also with its completion
#
#   VERSION      of the release, such as v0.1.0; unset: that of the chart
#   PLATFORMS    that are built, such as "linux_amd64"; unset: all that a program is released for
#
# The same commit, version and Go give the same bytes: files have the time of the commit and no owner.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. hack/release/source.sh

binaries=$1 archives=$2
shift 2
stamp=github.com/mongobench/mongobench-operator/internal/version
mkdir -p "$archives"

for program in "$@"; do
	for platform in $(platforms_of "$program"); do
		binary=$binaries/$platform/$program
		archive=${program}_${version}_$platform.tar.gz
		echo "release: building $archive"
		mkdir -p "$binaries/$platform"
		CGO_ENABLED=0 GOOS=${platform%_*} GOARCH=${platform#*_} nice go build -trimpath -buildvcs=false \
			-ldflags "-s -w -X $stamp.number=$version -X $stamp.commit=$commit -X $stamp.date=$date" \
			-o "$binary" "./cmd/$program"
		stage=$(mktemp -d)
		install -m 0755 "$binary" "$stage/$program$([[ $platform != windows_* ]] || echo .exe)"
		install -m 0644 LICENSE NOTICE "$stage/"
		[[ ! -f cmd/$program/kubectl_complete-mongobench ]] ||
			install -m 0755 "cmd/$program/kubectl_complete-mongobench" "$stage/"
		pack "$archives/$archive" -C "$stage" .
		rm -r "$stage"
	done
done
