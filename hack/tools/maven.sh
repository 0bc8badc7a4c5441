#!/usr/bin/env bash
# Prints the path of a pinned file of Maven Central, after fetching it if it is not there yet.
#
#   hack/tools/maven.sh SHA256 PATH [FOLDER]
#
#   PATH     where it lies in the repository, such as org/hdrhistogram/HdrHistogram/2.1.4/HdrHistogram-2.1.4.jar
#   FOLDER   where it is put; unset: the cache
#
# MONGOBENCH_MAVEN_MIRROR names another repository than Maven Central. What has another sum than the pinned one is refused.
# The path goes to standard output and everything else to standard error.
set -euo pipefail

sum=${1:-}
path=${2:-}
folder=${3:-${MONGOBENCH_CACHE:-$HOME/.cache/mongobench}/maven}
mirror=${MONGOBENCH_MAVEN_MIRROR:-https://repo1.maven.org/maven2}
if [[ ! $sum =~ ^[0-9a-f]{64}$ || -z $path ]]; then
	echo "usage: maven.sh SHA256 PATH [FOLDER]" >&2
	exit 2
fi

# The sum is in the name, so that a pin that was changed is another file.
file=$folder/${sum:0:12}-${path##*/}
if [[ ! -f $file ]]; then
	command -v curl >/dev/null || "$(dirname "${BASH_SOURCE[0]}")/../make/prerequisites.sh" curl ca-certificates >&2
	mkdir -p "$folder"
	fresh=$(mktemp "$folder/.fetch-XXXXXX")
	trap 'rm -f "$fresh"' EXIT
	echo "maven: fetching $path" >&2
	curl --fail --silent --show-error --location --retry 5 --retry-connrefused --max-time 1800 --output "$fresh" "$mirror/$path"
	echo "$sum  $fresh" | sha256sum --check --quiet - >&2 ||
		{ echo "maven: $mirror/$path is not what was pinned (sha256 $sum); it was changed since" >&2; exit 1; }
	chmod 0644 "$fresh"
	mv "$fresh" "$file"
fi
echo "$file"
