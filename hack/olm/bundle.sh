#!/usr/bin/env bash
# Makes the bundle of a chart in dist/bundle, and has opm, OLM's own program, make a catalogue of it and validate that.
#
#   hack/olm/bundle.sh CHART
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
chart=$(realpath "$1")

helm=$(hack/tools/tool.sh helm)
opm=$(hack/tools/tool.sh opm)
go -C hack/olm run . -chart "$chart" -helm "$helm" -icon "$PWD/charts/mongobench-operator/icon.svg" -out "$PWD/dist/bundle"

catalogue=$(mktemp -d)
trap 'rm -rf "$catalogue"' EXIT
csv=dist/bundle/manifests/mongobench-operator.clusterserviceversion.yaml
version=$(sed -n 's/^  name: \(mongobench-operator\.v.*\)$/\1/p' "$csv")
mkdir "$catalogue/mongobench-operator"
{
	cat <<-EOF
		---
		schema: olm.package
		name: mongobench-operator
		defaultChannel: candidate
		---
		schema: olm.channel
		package: mongobench-operator
		name: candidate
		entries: [{name: $version}]
	EOF
	# The image of the bundle is made by those who publish it; a catalogue has to name one.
	"$opm" render dist/bundle --output yaml --alpha-image-ref-template 'bundle.example/{{.Package}}:{{.Version}}'
} >"$catalogue/mongobench-operator/catalog.yaml"
"$opm" validate "$catalogue"
echo "bundle: $version is valid: dist/bundle"
