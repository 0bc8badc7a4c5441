#!/usr/bin/env bash
# Builds the archives of the plugin for Krew, and the manifest that names them, into dist/krew:
#
#   kubectl-mongobench_VERSION_OS_ARCH.tar.gz    the program, its completion, and the licence
#   mongobench.yaml                              hack/krew/mongobench.yaml.tmpl with the version and the sums
#
#   VERSION    of the release, such as v0.1.0; unset: that of the chart
#   PLATFORMS  that are built, such as linux_amd64; unset: all four. A manifest is written for all of them only
#
# The same source and version give the same bytes: files have the time of the last commit and no owner.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

all="linux_amd64 linux_arm64 darwin_amd64 darwin_arm64"
platforms=${PLATFORMS:-$all}
version=${VERSION:-v$(awk '$1 == "appVersion:" { print $2 }' charts/mongobench-operator/Chart.yaml)}
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] ||
	{ echo "krew: VERSION=$version is no version that Krew takes; one is v1.2.3" >&2; exit 2; }
url=https://github.com/mongobench/mongobench-operator/releases/download/$version
to=dist/krew
time=$(git log -1 --format=%ct 2>/dev/null || echo 0)
rm -rf "$to"
mkdir -p "$to"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

filled=()
for platform in $platforms; do
	archive=kubectl-mongobench_${version}_$platform.tar.gz
	folder=$stage/$platform
	mkdir "$folder"
	echo "krew: building $archive"
	CGO_ENABLED=0 GOOS=${platform%_*} GOARCH=${platform#*_} \
		nice go build -trimpath -buildvcs=false -ldflags '-s -w' -o "$folder/kubectl-mongobench" ./cmd/kubectl-mongobench
	install -m 0755 cmd/kubectl-mongobench/kubectl_complete-mongobench "$folder/"
	install -m 0644 LICENSE "$folder/"
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" -C "$folder" -cf - . | gzip -n -9 >"$to/$archive"
	rm -r "$folder"
	sum=$(sha256sum "$to/$archive")
	filled+=(-e "s|@ARCHIVE_$platform@|$archive|" -e "s|@SHA256_$platform@|${sum%% *}|")
done
if [[ $platforms != "$all" ]]; then
	echo "krew: $to has the archives of $platforms, and no manifest"
	exit 0
fi
sed "${filled[@]}" -e "s|@VERSION@|$version|" -e "s|@URL@|$url|" hack/krew/mongobench.yaml.tmpl >"$to/mongobench.yaml"
if grep -n '@' "$to/mongobench.yaml"; then
	echo "krew: these places of $to/mongobench.yaml are not filled in" >&2
	exit 1
fi
echo "krew: $to/mongobench.yaml and the archives that it names"
