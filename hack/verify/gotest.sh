#!/usr/bin/env bash
# Runs go test by gotestsum: one line a package, then which tests were skipped, and why, then all that failing tests printed.
#
#   hack/verify/gotest.sh [-C folder] [go test flags] packages
#
# A green run with silent skips says less than it seems to; with CI=true a skip is therefore a failure, unless its reason says
# "needs <capability>" and this machine really has not got that capability (root, docker or mongos: what no test run can put in
# place by itself; or local, that the cluster under test was made by hack/cluster). What failing tests found wrong is added to
# the file that GOTEST_FAILURES names, too, for a caller that prints much after it.
set -euo pipefail

gotestsum=$("$(dirname "${BASH_SOURCE[0]}")/../tools/tool.sh" gotestsum)
if [[ ${1:-} == -C ]]; then
	cd "$2"
	shift 2
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# has asks the machine for a capability.
has() {
	case $1 in
	root) [[ $EUID == 0 ]] ;;
	docker) timeout 20 docker info >/dev/null 2>&1 ;;
	local) [[ ${CLUSTER:-} == local ]] ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# excused tells whether a reason names a capability, and the machine lacks it.
excused() {
	local capability
	for capability in root docker mongos local; do
		[[ $1 != *"needs $capability"* ]] || has "$capability" || return 0
	done
	return 1
}

# Ctrl-C is for the tests; this script must live on to pass on what they say.
trap : INT TERM
code=0
"$gotestsum" --format pkgname --format-icons text --format-hide-empty-pkg --ignore-non-json-output-lines -- "$@" |
	(trap '' INT TERM && exec tee "$log") || code=$?

unexcused=0
while IFS= read -r skipped; do
	excused "$skipped" && continue
	echo "this machine can run: $skipped"
	unexcused=$((unexcused + 1))
done < <(awk '
	/^=== |^DONE / { if (skip) print skip; skip = "" }
	sub(/^=== SKIP: /, "") { skip = $0; next }
	skip { sub(/^ +/, " "); skip = skip $0 }' "$log")
if ((unexcused > 0 && code == 0)) && [[ ${CI:-} == true ]]; then
	echo "gotest: $unexcused tests were skipped that this machine can run; make the skip's cause go away, or say" \
		'"needs root", "needs docker", "needs mongos" or "needs local" in its reason' >&2
	code=1
fi

# Of each failing test the lines that say what is wrong, or else its first lines: 20 at most, of at most 600 bytes.
[[ -z ${GOTEST_FAILURES:-} ]] || awk '
	function tell() { if (name) printf "%s\n%s", name, said ? said : first; name = said = first = ""; lines = found = 0 }
	/^=== |^DONE / { tell() }
	sub(/^=== FAIL: /, "") { name = $0; next }
	name && NF && ++lines <= 20 { first = first substr($0, 1, 600) "\n" }
	name && /_test\.go:|panic:|DATA RACE/ && ++found <= 20 { said = said substr($0, 1, 600) "\n" }' "$log" >>"$GOTEST_FAILURES"
exit "$code"
