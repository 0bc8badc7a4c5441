# Who has the cluster of this machine: there is one, and two commands would take it from each other. To be sourced.

cache=${MONGOBENCH_CACHE:-$HOME/.cache/mongobench}
claim=$cache/cluster.pid
claimed='' # Whether the cluster is ours.

say() { echo "==> $*" >&2; }

# claim_cluster notes who has the cluster. What a process left that was killed is taken over.
claim_cluster() {
	mkdir -p "$cache"
	if ! (set -o noclobber && echo $$ >"$claim") 2>/dev/null; then
		local other
		other=$(<"$claim")
		if [[ -n $other ]] && ps -o args= -p "$other" 2>/dev/null | grep -qE '((with|clear)-cluster|release/try)\.sh'; then
			say "process $other uses the cluster of this machine: wait until it has ended, or end it"
			exit 1
		fi
		echo $$ >"$claim"
	fi
	claimed=yes
}

release_cluster() { [[ -z $claimed ]] || rm -f "$claim"; }
