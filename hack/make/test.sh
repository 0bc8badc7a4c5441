#!/usr/bin/env bash
# Runs all tests but the end-to-end ones. What they need and the machine has not got is built or fetched first: the API
# server and etcd for envtest (hack/cluster), mongod, MariaDB and their images (hack/images). The skipped tests are told at
# the end; see hack/verify/gotest.sh for when a skip fails the run. RACE=all has no other tests than those of packages where
# goroutines meet, all of them with the race detector.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export MONGOBENCH_CACHE=${MONGOBENCH_CACHE:-$HOME/.cache/mongobench}
kubernetes_version=v1.36.3
export KUBEBUILDER_ASSETS=$MONGOBENCH_CACHE/kubernetes/$kubernetes_version/bin

# What an action for GitHub finds on its runners (hack/actions).
if ! command -v curl >/dev/null || ! command -v jq >/dev/null; then
	hack/make/prerequisites.sh curl jq
fi
echo "test: the API server and etcd for envtest"
go -C hack/cluster run . build
echo "test: mongod and MariaDB servers, and their images"
make mongod mariadb
make images IMAGES="mongod mariadb"

# The race detector is for packages that use goroutines, or what does so for them: in all others it finds nothing, and makes
# them several times slower to compile, link and run. Nor is it for simulations that share nothing between their tests, for
# hack, which no user runs, for decisions and the API's own package, where no test has a second goroutine, and for
# loadgen/honesty, which judges the program as it is released, by its times.
concurrent='^[[:space:]]*(defer |)go (func|[a-zA-Z.]+\()|\.Go\(|\.Parallel\(|"(context|net|os/exec|os/signal|sync)"|"net/http|"sync/atomic"'
concurrent+='|errgroup|/mongo-driver/v2/mongo"|/controller-runtime|/client-go|/testing/(mongotest|mariadbtest|testenv)"'
unraced='/(hack/.*|api/v1alpha1|controllers/(run|target)/decide|internal/(censored|comparison|statistics)|loadgen/search)$'
# Of these, make test has it for those whose own code starts goroutines or locks. Not for what links Kubernetes, which takes
# minutes to compile for it, nor for drivers that are tested with every version of their servers, which take twice the time
# with it: make race is for them, and for all the others too.
own='^[[:space:]]*(defer |)go (func|[a-zA-Z.]+\()|\.Go\(|"sync"|"sync/atomic"|errgroup'
costly='/(cmd/.*|controllers|controllers/(results|run|suite|target)|controllers/internal/(apply|caching|claim)'
costly+='|loadgen/(kube|topology|driver/(mongo|shards|sql)))$'
with=() waiting=() without=()
while read -r package folder; do
	if [[ $package == */loadgen/honesty ]]; then
		# The first of its kind, for it takes the longest and leaves a third of the processors idle.
		without=("$package" "${without[@]}")
	elif [[ $package == */loadgen/engine ]]; then
		with=("$package" "${with[@]}") # Takes the longest of its kind, too.
	elif [[ $package =~ $unraced ]] || ! grep -qsE "$concurrent" "$folder"/*.go; then
		without+=("$package")
	elif [[ ${RACE:-} == all ]] || { [[ ! $package =~ $costly ]] && grep -qsE --exclude='*_test.go' "$own" "$folder"/*.go; }; then
		with+=("$package")
	else
		waiting+=("$package")
	fi
done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' ./... | grep .)
code=0

# Many packages wait for servers most of their time, hence four at once; make verify vets them.
echo "test: ${#with[@]} packages with the race detector"
CGO_ENABLED=1 hack/verify/gotest.sh -race -vet=off -p 4 -timeout 30m "${with[@]}" || code=$?
[[ ${RACE:-} != all ]] || exit "$code"
echo "test: ${#waiting[@]} packages that wait for servers"
hack/verify/gotest.sh -vet=off -p 4 -timeout 20m "${waiting[@]}" || code=$?
# Modules of their own without a test file have nothing to say here; make verify compiles and vets them.
modules() {
	local folder
	while read -r folder; do
		[[ -n $(find "$folder" -name '*_test.go' -print -quit) ]] || continue
		echo "test: $folder"
		hack/verify/gotest.sh -C "$folder" -timeout 15m ./... || return
	done < <(find hack -name go.mod -not -path 'hack/tools/*' -not -path '*/neighbours/*' -not -path '*/testdata/*' -printf '%h\n' | sort)
}

# The modules are beside the last packages, and are told of after them.
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
modules >"$printed" 2>&1 &
echo "test: what has no goroutines, simulations, hack, and what is judged by its times"
hack/verify/gotest.sh -vet=off -p 2 -timeout 20m "${without[@]}" || code=$?
wait $! || code=$?
cat "$printed"
((code == 0)) || exit "$code"
echo "test: all tests passed"
