#!/usr/bin/env bash
# Fuzzes every Fuzz function of the main module, two at a time, each with one worker.
#
# What reads plans, reports, templates of operations and replies of servers is given FUZZTIME, since any text may come
# there; every other function FUZZTIME_OTHERS. An input that fails is written to testdata/fuzz beside its test, to be
# committed with the correction: from then on it is a case of `make test`. Inputs that are only new are hardly made
# smaller: by default each may take a minute for that, and a few large ones all of the time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

long=${FUZZTIME:-60s}
short=${FUZZTIME_OTHERS:-10s}

# The functions that get the long time, as "folder function".
readers='^(\./api/plan/v1alpha1 FuzzDecode|\./internal/result FuzzDecode|\./loadgen/workload FuzzTemplate|\./loadgen/driver/wire Fuzz[A-Za-z]*)$'

programs=$(mktemp -d)
export programs
trap 'rm -rf "$programs"' EXIT

# compile FOLDER compiles a folder's tests once for all its functions, with the counters that guide the fuzzer. Those are in our
# own packages: `go test -fuzz` puts them into everything that these import, and so compiles all of Kubernetes' API once more.
compile() {
	go test -c -gcflags 'github.com/mongobench/mongobench-operator/...=-d=libfuzzer' -o "$programs/${1//\//_}" "$1"
}
export -f compile

# fuzz FOLDER FUNCTION TIME runs one function and shows its output when it fails, its last count when it does not. It
# begins with nothing but the inputs that are committed: with all that was ever interesting on a machine, going through
# those takes the whole time.
fuzz() {
	local folder=$1 function=$2 time=$3 log inputs code count limit
	log=$(mktemp)
	# On a busy machine the committed inputs alone may take the whole time: then a number of executions is the limit.
	for limit in "$time" 1000x; do
		inputs=$(mktemp -d)
		code=0
		(cd "$folder" && exec "$programs/${folder//\//_}" -test.run '^$' -test.fuzz "^$function\$" -test.fuzztime "$limit" \
			-test.fuzzminimizetime 100x -test.parallel 1 -test.timeout 10m -test.fuzzcachedir "$inputs") >"$log" 2>&1 || code=$?
		rm -rf "$inputs"
		count=$(grep -o 'execs: [0-9]*' "$log" | tail -n 1) || true
		# Go 1.26 may take the end of the time itself for a failure (go.dev/issue/75804, mended in 1.27); an input that
		# fails is always written down.
		if grep -q '^ *context deadline exceeded$' "$log" && ! grep -qE 'Failing input|panic:|_test\.go:' "$log"; then
			code=0
		fi
		# Without the counters it would only try inputs at random.
		! grep -q 'not built with coverage instrumentation' "$log" || code=1
		[[ $code == 0 && -z $count ]] || break
	done
	if ((code == 0)) && [[ -n $count ]]; then
		echo "fuzz: $folder $function, $limit: $count"
		rm -f "$log"
		return
	fi
	echo "fuzz: $folder $function FAILED, or was never executed:" >&2
	cat "$log" >&2
	rm -f "$log"
	return 1
}
export -f fuzz

functions=$(grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' ./api ./cmd ./controllers ./internal ./loadgen |
	sed -E 's#^(.*)/[^/]*:[0-9]+:func (Fuzz.*)$#\1 \2#' | sort)
[[ -n $functions ]] || { echo "fuzz: no Fuzz function was found" >&2; exit 1; }

cut -d ' ' -f 1 <<<"$functions" | sort -u | xargs -P 2 -L 1 bash -c 'compile "$@"' compile

# The long ones first, so that the short ones fill the gaps at the end.
{
	grep -E "$readers" <<<"$functions" | sed "s/\$/ $long/"
	grep -vE "$readers" <<<"$functions" | sed "s/\$/ $short/" || true
} | xargs -P 2 -L 1 bash -c 'fuzz "$@"' fuzz
echo "fuzz: no input was found that fails"
