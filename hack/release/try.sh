#!/usr/bin/env bash
# Does what a user of a release does, with a cluster that has none of our images: installs the operator from a registry by
# the README's commands, has a result, and does the same by install.yaml. The programs for arm64 are run as well.
#
#   hack/release/try.sh     VERSION of the release to make (default v0.2.0-test); TWICE=yes makes it once more, to compare
#
# The registry is a process in the cluster's network, filled by push.sh; the node pulls from it as from ghcr.io and docker.io,
# so that everything is as it will be published, to the byte. Needs root on Linux, like the local cluster.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. hack/make/claim.sh

export VERSION=${VERSION:-v0.2.0-test} PLATFORMS="linux_amd64 linux_arm64"
number=${VERSION#v}
serving=198.18.0.1:5000 # In the cluster's network: hack/cluster/internal/plan.
work=$(mktemp -d)
export OUT=$work/release
export HELM_CACHE_HOME=$work/helm HELM_CONFIG_HOME=$work/helm HELM_DATA_HOME=$work/helm
registry_pid='' started=''

cluster() { "$work/cluster" "$@"; }
inside() { cluster exec -- "$@"; }

finish() {
	local code=$?
	trap - EXIT
	trap '' INT TERM
	if ((code != 0)) && [[ -n $started ]]; then
		cluster kubectl get benchmarkruns,pods --all-namespaces -o wide >&2 || true
		cluster kubectl get events --all-namespaces --sort-by=.lastTimestamp 2>&1 | tail -n 15 | cut -c 1-250 >&2 || true
	fi
	[[ -z $registry_pid ]] || { kill "$registry_pid" 2>/dev/null && wait "$registry_pid" 2>/dev/null; } || true
	[[ -z $started ]] || make cluster-down || code=1
	rm -rf "$work"
	release_cluster
	exit "$code"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# want WORDS COMMAND... wants the words in what a command prints.
want() {
	local words=$1 printed
	shift
	printed=$("$@" 2>&1) || { say "$*: failed: $printed" && exit 1; }
	[[ $printed == *"$words"* ]] || { say "$*: printed no \"$words\": $printed" && exit 1; }
	say "${printed%%$'\n'*}"
}

try_programs() {
	local program
	for program in manager loadgen kubectl-mongobench; do
		tar -xzf "$OUT/${program}_${VERSION}_linux_amd64.tar.gz" -C "$work/amd64" "./$program"
		tar -xzf "$OUT/${program}_${VERSION}_linux_arm64.tar.gz" -C "$work/arm64" "./$program"
	done
	for program in "loadgen version" "kubectl-mongobench version" "manager --version"; do
		# shellcheck disable=SC2086 # A program and its argument.
		want "$VERSION, commit $(git rev-parse HEAD)" "$work"/amd64/$program
		# shellcheck disable=SC2086
		want "$VERSION, commit $(git rev-parse HEAD)" qemu-aarch64 "$work"/arm64/$program
	done
	(cd "$OUT" && sha256sum --quiet --check SHA256SUMS)
	(cd "$OUT" && openssl dgst -sha256 -verify release.pub -signature SHA256SUMS.sig SHA256SUMS) >&2
}

serve() {
	cluster exec -- "$crane" registry serve --address "$serving" --disk "$work/registry" >"$work/registry.log" 2>&1 &
	registry_pid=$!
	for _ in {1..240}; do
		! inside "$crane" catalog --insecure "$serving" >/dev/null 2>&1 || break
		kill -0 "$registry_pid" || { cat "$work/registry.log" >&2 && exit 1; }
		sleep 0.5
	done
	cluster mirror ghcr.io "http://$serving"
	cluster mirror docker.io "http://$serving"
	PLAIN_HTTP=1 REGISTRY=$serving/mongobench inside hack/release/push.sh
	inside "$crane" push --insecure "$cache/images/mongod-6.0.5.tar" "$serving/library/mongo:6.0.5" >/dev/null
	local image
	for image in operator loadgen; do
		want '"architecture":"arm64"' inside "$crane" manifest --insecure "$serving/mongobench/$image:$number"
	done
}

# command_of_readme BEGINNING prints the command of README's first steps that begins so, for this release and registry.
command_of_readme() {
	local line
	line=$(grep -m 1 "^$1" README.md) || { say "README has no command \"$1 ...\"" && exit 1; }
	sed -e "s|oci://ghcr\.io/|oci://$serving/|" -e "s|--version [^ ]*|--version $number --plain-http|" \
		-e "s|https://github.com/mongobench/mongobench-operator/releases/[^ ]*/|$OUT/|" -e "s|^helm|$helm|" <<<"$line"
}

# result waits for the run of README, and wants of it what a release's has.
result() {
	local command
	for command in "kubectl apply -f" "kubectl wait" "kubectl get"; do
		command=$(command_of_readme "$command")
		say "$command"
		inside bash -c "$command"
	done
	want "\"$VERSION\"" cluster kubectl get benchmarkrun first -o jsonpath='{.status.fingerprint}' # What made the load.
	want "Trusted:" inside env KUBECONFIG="$("$work/cluster" kubeconfig)" "$work/amd64/kubectl-mongobench" report first
	want "ghcr.io/mongobench/operator@sha256:" cluster kubectl get pods -n mongobench-system \
		-o jsonpath='{.items[*].spec.containers[*].image}'
	inside bash -c "kubectl delete benchmarkrun first --timeout=120s"
}

claim_cluster
make prerequisites
hack/make/prerequisites.sh qemu-user
crane=$(hack/tools/tool.sh crane)
helm=$(hack/tools/tool.sh helm)
mkdir -p "$work/amd64" "$work/arm64" "$work/registry"
say "making a release"
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$work/key.pem" 2>/dev/null
SIGNING_KEY=$work/key.pem hack/release/build.sh
if [[ -n ${TWICE:-} ]]; then
	say "making it once more, which has to give the same"
	OUT=$work/again hack/release/build.sh >&2
	diff "$OUT/SHA256SUMS" "$work/again/SHA256SUMS" >&2 || { say "the same commit gave other bytes: the sums above differ" && exit 1; }
	rm -rf "$work/again"
fi
say "running its programs"
try_programs
make images IMAGES=mongod:6.0.5
go -C hack/cluster build -o "$work/cluster" .
started=yes
say "bringing up a cluster with none of our images"
make cluster-up NODES=1 REPLACE=1
serve
say "installing by the chart"
inside bash -c "$(command_of_readme "helm install")"
inside kubectl rollout status -n mongobench-system deployment --timeout=180s
result
say "installing by install.yaml"
inside "$helm" uninstall mongobench --namespace mongobench-system --wait
inside kubectl apply --server-side --force-conflicts -f "$OUT/install.yaml"
inside kubectl rollout status -n mongobench-system deployment --timeout=180s
result
say "the release works: $VERSION"
