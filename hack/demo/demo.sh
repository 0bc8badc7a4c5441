#!/usr/bin/env bash
# Runs benchmarks in a cluster made for them, with the operator and the plugin, and takes everything down again.
#
#   hack/demo/demo.sh [FILE [NAME]]   FILE holds BenchmarkRuns and BenchmarkSuites, which run one after the other, or is a
#                                     folder with a kustomization; NAME is the only one to run. Without arguments it is
#                                     config/samples/standalone.yaml. Results are saved in dist/demo/<name>
#
# The exit code is that of `kubectl mongobench run`, which docs/reference/kubectl-mongobench.md lists.
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
export SERVERS_FOR=$run
hack/make/with-cluster.sh dist/kubectl-mongobench run --namespace mongobench-demo -f hack/demo/namespace.yaml -f "$run" \
	--only "$name" --replace --one-by-one --save dist/demo --stall-timeout 45m
