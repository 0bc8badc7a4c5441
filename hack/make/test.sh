#!/usr/bin/env bash
# Runs all tests but the end-to-end ones. What they need and the machine has not got is built or fetched first: the API
# server and etcd for envtest (hack/cluster), mongod and MariaDB (hack/images). The skipped tests are told at the end; see
# hack/verify/gotest.sh for when a skip fails the run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export MONGOBENCH_CACHE=${MONGOBENCH_CACHE:-$HOME/.cache/mongobench}
kubernetes_version=v1.36.3
export KUBEBUILDER_ASSETS=$MONGOBENCH_CACHE/kubernetes/$kubernetes_version/bin

echo "test: the API server and etcd for envtest"
go -C hack/cluster run . build
echo "test: mongod and MariaDB servers"
make mongod mariadb

echo "test: the operator and the load generator, with the race detector"
# Many packages wait for servers most of their time, hence four at once; make verify vets them.
CGO_ENABLED=1 hack/verify/gotest.sh -race -vet=off -p 4 -timeout 20m ./...

# Modules of their own without a test file have nothing to say here; make verify compiles and vets them.
while read -r folder; do
	[[ -n $(find "$folder" -name '*_test.go' -print -quit) ]] || continue
	echo "test: $folder"
	hack/verify/gotest.sh -C "$folder" -timeout 15m ./...
done < <(find hack -name go.mod -not -path 'hack/tools/*' -not -path '*/testdata/*' -printf '%h\n' | sort)
echo "test: all tests passed"
