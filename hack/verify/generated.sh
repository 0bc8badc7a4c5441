#!/usr/bin/env bash
# Regenerates all files in the tree and fails if any of them changed. It compares the tree before with the tree
# after, not with the last commit, so that it is of use with uncommitted work too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT

places=(api config charts docs cmd/kubectl-mongobench/internal/page/assets/vendor)
# places_here prints the folders that exist by now; a generator may create the others.
places_here() {
	local place
	for place in "${places[@]}"; do [[ ! -e $place ]] || echo "$place"; done
}

# shellcheck disable=SC2046 # Names without blanks, one word each.
tar -cf - $(places_here) | tar -xf - -C "$before"

make generate

changed=0
for place in "${places[@]}"; do
	diff -ruN "$before/$place" "$place" || changed=1
done
if ((changed)); then
	echo "verify: generated files were out of date. They have been regenerated: review and commit them." >&2
	exit 1
fi
echo "verify: generated files are up to date"
