#!/usr/bin/env bash
# Shows a whole benchmark: a cluster, the operator, one BenchmarkRun, its result; then everything is gone again.
#
#   hack/demo/demo.sh [FILE]      FILE is a BenchmarkRun, config/samples/standalone.yaml when none is given
#
# KEEP=1 leaves the cluster up. CLUSTER=kind or CLUSTER=local chooses the cluster; see hack/make/with-cluster.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

run=${1:-config/samples/standalone.yaml}
if [[ ! -f $run ]]; then
	echo "demo: there is no file $run; give the path of a BenchmarkRun" >&2
	exit 2
fi
# The flags are those of the images, whose packages have been compiled already.
exec hack/make/with-cluster.sh env CGO_ENABLED=0 go run -trimpath ./hack/demo -f "$run"
