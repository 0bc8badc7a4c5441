#!/usr/bin/env bash
# Pushes the images and the chart of dist/release to a registry, with the credentials of the Docker configuration.
#
#   VERSION     of the release, as it was built
#   REGISTRY    where to (default ghcr.io/mongobench): the images to REGISTRY/NAME, the chart to REGISTRY/charts
#   OUT         folder of the release (default dist/release)
#   PLAIN_HTTP  1: the registry has no TLS
#
# What it pushed is asked for by its digest afterwards.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. hack/release/source.sh

number=${version#v}
registry=${REGISTRY:-ghcr.io/mongobench}
out=${OUT:-dist/release}
crane=$(hack/tools/tool.sh crane)
options=()
[[ ${PLAIN_HTTP:-} != 1 ]] || options+=(--insecure)

# push FOLDER REFERENCE pushes what an OCI layout has.
push() {
	echo "release: pushing $2" >&2
	timeout 900 "$crane" push "${options[@]}" "$out/$1" "$2" >/dev/null
	local pushed wanted
	pushed=$(timeout 60 "$crane" digest "${options[@]}" "$2")
	wanted=$(sed -n 's/.*"digest": *"\(sha256:[0-9a-f]*\)".*/\1/p' "$out/$1/index.json")
	[[ $pushed == "$wanted" ]] || { echo "release: $2 has the digest $pushed; pushed was $wanted" >&2; exit 1; }
	echo "$2@$pushed"
}

[[ -d $out/images ]] || { echo "release: $out holds no release; make one by: make release VERSION=$version" >&2; exit 2; }
push images/operator "$registry/operator:$number"
push images/loadgen "$registry/loadgen:$number"
push images/ferretdb "$registry/ferretdb:$(go -C hack/images/ferretdb list -m -f '{{slice .Version 1}}' github.com/FerretDB/FerretDB)"
push charts/mongobench-operator "$registry/charts/mongobench-operator:$number"
