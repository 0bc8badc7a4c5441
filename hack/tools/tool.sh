#!/usr/bin/env bash
# Prints the path of a pinned tool, after building it from source if this machine does not have that version yet.
#
#   hack/tools/tool.sh NAME              NAME is a folder beside this script: a Go module with one `tool` line
#   hack/tools/tool.sh NAME PROGRAM      one of several `tool` lines: the one whose path ends in PROGRAM
#
# Programs that only one end-to-end scenario runs are pinned beside it: hack/e2e/neighbours/NAME/module.
# Each tool has a module of its own, so that its dependencies never argue with those of another tool or of the operator.
# The path goes to standard output and everything else to standard error, so that a caller may write $(hack/tools/tool.sh helm).
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${MONGOBENCH_CACHE:-$HOME/.cache/mongobench}/bin
name=${1:-}
program=${2:-}
module=$tools/$name
[[ -f $module/go.mod ]] || module=$tools/../e2e/neighbours/$name/module

if [[ -z $name || ! -f $module/go.mod ]]; then
	echo "tool.sh: no tool called \"$name\"; there are: $(cd "$tools" && echo */go.mod | sed 's#/go.mod##g')" >&2
	exit 2
fi

cd "$module"
export GOWORK=off
package=$(awk -v program="$program" '
	/^tool \(/ { block = 1; next }
	block && /^\)/ { block = 0 }
	{ path = block ? $1 : $1 == "tool" ? $2 : "" }
	path != "" && (program == "" || path ~ "/" program "$") { print path; exit }' go.mod)
if [[ -z $package ]]; then
	echo "tool.sh: $module/go.mod has no \`tool\` line that ends in \"$program\"" >&2
	exit 2
fi
version=$(go list -mod=readonly -f '{{.Module.Version}}' "$package")
name+=${program:+-$program}
path=$bin/$name-$version

if [[ ! -x $path ]]; then
	mkdir -p "$bin"
	# Two make runs may want the same tool at once; the second waits here and then finds it built.
	exec 9>"$bin/.$name.lock"
	flock -w 1800 9 || { echo "tool.sh: another build of $name held $bin/.$name.lock for 30 minutes; end it and try again" >&2; exit 1; }
	if [[ ! -x $path ]]; then
		echo "tools: building $name $version (once on this machine; minutes when the Go build cache is cold)" >&2
		# Some tools take settings at link time that their own build would give them: a file `ldflags` beside go.mod.
		settings=
		[[ ! -f ldflags ]] || settings=$(tr '\n' ' ' <ldflags)
		# Others leave parts out by build tags: a file `tags`, one to a line.
		tags=
		[[ ! -f tags ]] || tags=$(paste -sd, tags)
		# The same flags as for everything else that is built here, so that the cache of compiled packages is shared.
		CGO_ENABLED=0 nice go build -mod=readonly -trimpath ${tags:+-tags="$tags"} -ldflags="-s -w $settings" -o "$path.partial" "$package" >&2
		mv "$path.partial" "$path"
	fi
fi
echo "$path"
