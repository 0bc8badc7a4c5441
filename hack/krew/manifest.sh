#!/usr/bin/env bash
# Writes FOLDER/mongobench.yaml, the plugin's manifest for Krew, for the archives of the plugin that the folder has:
# hack/krew/mongobench.yaml.tmpl with the version and the sums. hack/release/programs.sh makes the archives.
#
#   hack/krew/manifest.sh FOLDER      VERSION as for that script
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. hack/release/source.sh

to=$1
url=https://github.com/mongobench/mongobench-operator/releases/download/$version
filled=()
for platform in $all_platforms; do
	archive=kubectl-mongobench_${version}_$platform.tar.gz
	sum=$(sha256sum "$to/$archive")
	filled+=(-e "s|@ARCHIVE_$platform@|$archive|" -e "s|@SHA256_$platform@|${sum%% *}|")
done
sed "${filled[@]}" -e "s|@VERSION@|$version|" -e "s|@URL@|$url|" hack/krew/mongobench.yaml.tmpl >"$to/mongobench.yaml"
if grep -n '@' "$to/mongobench.yaml"; then
	echo "krew: these places of $to/mongobench.yaml are not filled in" >&2
	exit 1
fi
