#!/usr/bin/env bash
# Checks every Go module of the repository: go.mod and go.sum are tidy. Of the operator's own module, what was cached is hashed
# once more, so that nothing that was changed on this machine since it was fetched is linked in; go compares everything that it
# fetches with go.sum by itself, and hashing the tools' gigabytes again takes minutes.
# Left out are the pins of neighbours: to tidy them means to fetch what only their own tests need, and some of it cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export GOWORK=off

failed=()
while read -r folder; do
	echo "verify: module $folder"
	(cd "$folder" && go mod tidy -diff) || failed+=("$folder")
done < <(find . -name go.mod -not -path '*/neighbours/*' -not -path '*/testdata/*' -printf '%h\n' | sort)

if ((${#failed[@]})); then
	echo "verify: run \`go mod tidy\` in: ${failed[*]}" >&2
	exit 1
fi
go mod verify
