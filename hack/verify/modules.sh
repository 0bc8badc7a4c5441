#!/usr/bin/env bash
# Checks every Go module of the repository: go.mod and go.sum are tidy, and the cached modules are those that go.sum names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export GOWORK=off

failed=()
while read -r folder; do
	echo "verify: module $folder"
	(cd "$folder" && go mod tidy -diff && go mod verify) || failed+=("$folder")
done < <(find . -name go.mod -not -path '*/testdata/*' -printf '%h\n' | sort)

if ((${#failed[@]})); then
	echo "verify: run \`go mod tidy\` in: ${failed[*]}" >&2
	exit 1
fi
