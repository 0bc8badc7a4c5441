# What a release is built from: the commit that is checked out, its time, and the version that it gets. To be sourced.

version=${VERSION:-v$(awk '$1 == "appVersion:" { print $2 }' charts/mongobench-operator/Chart.yaml)}
[[ $version =~ ^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?$ ]] ||
	{ echo "release: VERSION=$version is no version; one is v1.2.3" >&2; exit 2; }
commit=$(git rev-parse HEAD)
# What was not committed is in no history: nobody could build it again.
[[ -z $(git status --porcelain) ]] || commit+=-modified
seconds=$(git log -1 --format=%ct)
date=$(date -u -d "@$seconds" +%Y-%m-%dT%H:%M:%SZ)
all_platforms="linux_amd64 linux_arm64 darwin_amd64 darwin_arm64"

# platforms_of PROGRAM says what a program is built for: PLATFORMS, or all four, and the load generator for Windows too.
platforms_of() {
	local platforms=${PLATFORMS:-$all_platforms}
	[[ $1 != loadgen || $platforms != "$all_platforms" ]] || platforms+=" windows_amd64"
	echo "$platforms"
}

# pack FILE TAR-ARGUMENTS... packs files in the order of their names, with the time of the commit and no owner.
pack() {
	local file=$1
	shift
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$seconds" --mode=u=rwX,go=rX -cf - "$@" | gzip -n -9 >"$file"
}
