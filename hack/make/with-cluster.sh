#!/usr/bin/env bash
# Runs a command against a cluster that has the operator in it, and takes the cluster down again.
#
#   hack/make/with-cluster.sh COMMAND [ARGUMENT...]
#
# The steps, each of which says what it does and may be repeated:
#   1. choose the cluster: CLUSTER=kind or CLUSTER=local; unset: kind when a Docker engine answers, else local (Linux, root)
#   2. claim the machine's cluster: there is one, and two commands would take it from each other
#   3. build the images of the operator, the load generator, mongod, MariaDB and FerretDB
#   4. bring the cluster up and load the images into it; a healthy local one of the right size is used as it is, any other
#      is taken down first
#   5. install the operator with the Helm chart
#   6. run COMMAND with KUBECONFIG set; its exit code is the one of this script
#   7. take the cluster down, whatever happened before; KEEP=1 leaves it for a look around
# MORE_IMAGES names images that COMMAND needs besides: programs that hack/tools or neighbours pin, servers with their versions,
# and our own of earlier releases. RESERVED_TAINT keeps the last of a local cluster's three nodes free of all but what
# tolerates that taint. SERVERS_FOR names a file of runs or suites: only the servers that it speaks of are built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. hack/make/claim.sh

keep=${KEEP:-}
cluster=${CLUSTER:-}
kind_name=mongobench
namespace=mongobench-system
chart=charts/mongobench-operator
servers=(mongod:{4.2.6,4.4.2,5.0.4,6.0.5} mariadb:10.11 ferretdb)
read -ra more_images <<<"${MORE_IMAGES:-}"

kind=''        # The path of the program, once it is needed.
started=''     # Whether there may be a cluster to take down.
command_pid='' # The running command, which leads a process group of its own.
KUBECONFIG=''  # Never the caller's: nothing here may reach another cluster.
work=$(mktemp -d)

docker_answers() { command -v docker >/dev/null && timeout 20 docker info >/dev/null 2>&1; }

choose_cluster() {
	if [[ -n $cluster ]]; then
		[[ $cluster == kind || $cluster == local ]] && return
		say "CLUSTER=$cluster: must be kind or local"
		exit 2
	fi
	if docker_answers && command -v kubectl >/dev/null; then
		cluster=kind
	elif [[ $(uname -s) == Linux && $(id -u) == 0 ]]; then
		cluster=local
	else
		say "no way to a cluster here. Either start a Docker engine and install kubectl (then kind is used), or run this as root on Linux" \
			"(then a local cluster is built from package registries; \`make cluster-doctor\` tells what it needs)."
		exit 1
	fi
}

# local_cluster runs a command of the program that makes local clusters.
local_cluster() { go -C hack/cluster run . "$@"; }

# choose_servers leaves out what a file has no use for: a version that it does not name, FerretDB where it names no such thing.
choose_servers() {
	local server named=()
	for server in "${servers[@]}"; do
		! grep -qiF "${server#*:}" "$1" || named+=("$server")
	done
	servers=("${named[@]}")
}

image_archives() {
	local name
	for name in operator:dev loadgen:dev "${servers[@]}" "${more_images[@]}"; do
		case $name in # One that has a version has it as its tag.
		*:*) ;;
		ferretdb) name+=:$(go -C hack/images/ferretdb list -m -f '{{slice .Version 1}}' github.com/FerretDB/FerretDB) ;;
		*) name+=:pinned ;;
		esac
		echo "$cache/images/${name//[:\/]/-}.tar"
	done
}

build_images() {
	say "building the images"
	make images IMAGES="operator loadgen ${servers[*]} ${more_images[*]}"
}

cluster_up() {
	started=yes
	if [[ $cluster == local ]]; then
		say "bringing up a local cluster"
		make cluster-up REPLACE=1 # The claim is ours: one that does not do is nobody's.
		KUBECONFIG=$(local_cluster kubeconfig)
	else
		say "bringing up a kind cluster"
		kind=$(hack/tools/tool.sh kind)
		KUBECONFIG=$work/kubeconfig
		"$kind" get clusters 2>/dev/null | grep -qx "$kind_name" ||
			timeout 900 "$kind" create cluster --name "$kind_name" --kubeconfig "$KUBECONFIG" --wait 300s
		"$kind" export kubeconfig --name "$kind_name" --kubeconfig "$KUBECONFIG"
	fi
	export KUBECONFIG
}

load_images() {
	say "loading the images into the cluster"
	local archives archive
	mapfile -t archives < <(image_archives)
	if [[ $cluster == local ]]; then
		local_cluster load-image "${archives[@]}"
	else
		for archive in "${archives[@]}"; do
			timeout 300 "$kind" load image-archive "$archive" --name "$kind_name"
		done
	fi
}

# kubectl is the cluster's own or the user's.
kubectl() {
	if [[ $cluster == local ]]; then
		local_cluster kubectl "$@"
	else
		command kubectl "$@"
	fi
}

reserve_node() {
	[[ -n ${RESERVED_TAINT:-} && $cluster == local && ${NODES:-1} == 3 ]] || return 0
	kubectl taint nodes node3 "$RESERVED_TAINT:NoSchedule" --overwrite >/dev/null
}

install_operator() {
	say "installing the operator with the chart"
	# A cluster that was kept may have CRDs that are not Helm's. The tag of the image is always the same; its content as an
	# annotation replaces the operator of a kept cluster.
	local content ports
	# Where the API server is, for namespaces that let nobody out: policies see the port behind its Service.
	ports=$(kubectl get endpointslices --namespace default --selector kubernetes.io/service-name=kubernetes \
		--output jsonpath='{.items[0].ports[0].port}')
	content=$(sha256sum "$cache/images/operator-dev.tar" | cut -c 1-16)
	"$(hack/tools/tool.sh helm)" upgrade --install mongobench "$chart" \
		--namespace "$namespace" --create-namespace --take-ownership --set-string "podAnnotations.image-content=$content" \
		--set "apiServerPorts={$ports}" \
		--values hack/make/local-images.yaml >/dev/null
	# Helm's own --wait looks every two seconds.
	kubectl rollout status --namespace "$namespace" deployment/mongobench-operator --timeout=180s >/dev/null
}

show_state() {
	say "what the cluster looks like now"
	{
		kubectl get mongobench,pods --all-namespaces -o wide || true
		kubectl get events --all-namespaces --sort-by=.lastTimestamp | tail -n 15 | cut -c 1-250 || true
		kubectl logs --namespace "$namespace" --selector app.kubernetes.io/name=mongobench-operator --tail=20 | cut -c 1-500 || true
	} >&2
}

cluster_down() {
	if [[ $cluster == local ]]; then
		make cluster-down
	else
		timeout 300 "$kind" delete cluster --name "$kind_name"
	fi
}

keep_cluster() {
	[[ -z $KUBECONFIG ]] || install -m 0600 "$KUBECONFIG" "$cache/kubeconfig"
	say "the cluster stays (KEEP=1). To look around:  export KUBECONFIG=$cache/kubeconfig"
	if [[ $cluster == local ]]; then
		say "To take it down:  make cluster-down"
	else
		say "To take it down:  $kind delete cluster --name $kind_name"
	fi
}

# run_command waits for the command in such a way that a signal to this script is acted on at once.
run_command() {
	say "running: $*"
	set -m # The command gets a process group of its own, because \`go run\` passes no signal on to what it runs.
	"$@" &
	command_pid=$!
	set +m
	wait "$command_pid"
}

stop_command() {
	[[ -n $command_pid ]] || return 0
	kill -TERM -- "-$command_pid" 2>/dev/null || return 0
	for _ in {1..80}; do
		kill -0 -- "-$command_pid" 2>/dev/null || return 0
		sleep 0.25
	done
	kill -KILL -- "-$command_pid" 2>/dev/null || true
}

finish() {
	local code=$?
	trap - EXIT
	trap '' INT TERM
	# A failed clean-up must not hide the exit code of the command; it is told, and makes a success a failure.
	set +e
	stop_command
	if [[ -n $started ]]; then
		((code == 0)) || [[ -z $KUBECONFIG ]] || show_state
		if [[ $keep == 1 ]]; then
			keep_cluster
		else
			say "taking the cluster down"
			cluster_down || { say "the cluster could not be taken down" && ((code != 0)) || code=1; }
		fi
	fi
	rm -rf "$work"
	release_cluster
	exit "$code"
}

[[ $# -gt 0 ]] || {
	echo "usage: $0 COMMAND [ARGUMENT...]" >&2
	exit 2
}

[[ -z ${SERVERS_FOR:-} ]] || choose_servers "$SERVERS_FOR"
choose_cluster
export CLUSTER=$cluster # Some scenarios do to a local cluster what can be done to no other.
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
claim_cluster
build_images
cluster_up
reserve_node
load_images
install_operator
run_command "$@"
