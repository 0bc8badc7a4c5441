#!/usr/bin/env bash
# Shows a whole benchmark: a cluster, the operator, a BenchmarkRun, its result; then everything is gone again.
#
#   hack/demo/demo.sh [FILE [NAME]]   FILE holds BenchmarkRuns and BenchmarkSuites, which are shown one after the other, or is
#                                     a folder with a kustomization; NAME is the only one to show. Without arguments it is
#                                     config/samples/standalone.yaml
#
# KEEP=1 leaves the cluster up. CLUSTER=kind or CLUSTER=local chooses the cluster; see hack/make/with-cluster.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

run=${1:-config/samples/standalone.yaml}
name=${2:-}
if [[ -f $run/kustomization.yaml ]]; then
	rendered=$(mktemp)
	trap 'rm -f "$rendered"' EXIT
	"$(hack/tools/tool.sh kustomize)" build "$run" >"$rendered"
	run=$rendered
elif [[ ! -f $run ]]; then
	echo "demo: there is no file $run; give the path of a BenchmarkRun, of a BenchmarkSuite, or of a folder with a kustomization" >&2
	exit 2
fi
make -s plugin
# The flags are those of the images, whose packages have been compiled already.
hack/make/with-cluster.sh env CGO_ENABLED=0 go run -trimpath ./hack/demo -f "$run" -name "$name"
