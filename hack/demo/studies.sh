#!/usr/bin/env bash
# Runs the studies in small, one after the other on one cluster, and puts what the report command makes of each into
# docs/studies/<name>/, and figures of it into the pages.
#
#   hack/demo/studies.sh [NAME]          NAME is the only one to run
#   hack/demo/studies.sh --keep FOLDER   runs nothing, and takes the reports that an earlier run left in FOLDER
#
# The exit code, KEEP and CLUSTER are those of hack/demo/demo.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# keep FOLDER [FILE] takes every report in FOLDER, or those that were written after FILE.
keep() {
	local report name
	while read -r report; do
		name=$(basename "$(dirname "$report")")
		[[ -f config/samples/studies/$name.yaml ]] || continue
		mkdir -p "docs/studies/$name"
		install -m 0644 "$report" "${report%.md}.svg" "docs/studies/$name/"
		echo "studies: docs/studies/$name has its figures"
	done < <(find "$1" -mindepth 2 -maxdepth 2 -name report.md ${2:+-newer "$2"} | sort)
	local page filled
	filled=$(mktemp)
	for page in docs/studies/*.md; do
		awk -f hack/demo/figures.awk "$page" >"$filled"
		cat "$filled" >"$page"
	done
	rm -f "$filled"
}

if [[ ${1:-} == --keep ]]; then
	keep "${2:?give the folder of the reports}"
	exit
fi
began=$(mktemp)
trap 'rm -f "$began"' EXIT
code=0
hack/demo/demo.sh config/samples/studies-small "${1:-}" || code=$?
[[ ! -d dist/demo ]] || keep dist/demo "$began"
exit "$code"
