#!/usr/bin/env bash
# Makes a release of the commit that is checked out, in dist/release. It asks no network for anything but the Go modules
# that are missing. RELEASING.md has a table of what comes out.
#
#   VERSION       of the release, such as v0.2.0; unset: v and the chart's appVersion
#   REGISTRY      where its images will be, as its manifests name them (default ghcr.io/mongobench)
#   SIGNING_KEY   file with the private key to sign with: ECDSA on P-256, as PEM; unset: nothing is signed
#   PLATFORMS     of the programs' archives, such as "linux_amd64 linux_arm64", which the images need; unset: all four
#   OUT           folder to write to (default dist/release); what it holds is removed
#
# The same commit, version, registry and Go give the same bytes, but for signatures. What is not committed is in no history,
# so that such a release says "modified" of its commit.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. hack/release/source.sh

number=${version#v}
registry=${REGISTRY:-ghcr.io/mongobench}
key=${SIGNING_KEY:-}
export VERSION=$version PLATFORMS=${PLATFORMS:-$all_platforms}
out=$(realpath -m "${OUT:-dist/release}")
helm=$(hack/tools/tool.sh helm)
programs=(manager loadgen kubectl-mongobench)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { echo "release: $*" >&2; }

# images CALL... runs the program of hack/images that writes OCI layouts.
images() {
	go -C hack/images run . release -version "$number" -commit "$commit" -created "$seconds" -to "$out" "$@"
}

build_programs() {
	hack/release/programs.sh "$work" "$out" "${programs[@]}" >&2
	for platform in linux_amd64 linux_arm64; do
		say "building ferretdb for $platform"
		CGO_ENABLED=0 GOOS=linux GOARCH=${platform#*_} GOWORK=off nice go -C hack/images/ferretdb build \
			-trimpath -buildvcs=false -ldflags "-s -w" -o "$work/$platform/ferretdb" .
	done
}

# build_images notes the digest of each image in digests.
declare -A digests
build_images() {
	say "images"
	local folder digest
	while read -r folder digest; do
		digests[${folder#images/}]=$digest
	done < <(images -programs "$work")
	((${#digests[@]} == 3)) || { say "the images could not be made"; exit 1; }
}

# build_chart packages the chart, which names the images by their digests.
build_chart() {
	say "chart"
	local source=$work/chart/mongobench-operator
	mkdir -p "$work/chart" "$work/packed"
	cp -r charts/mongobench-operator "$source"
	sed -i "s|^version: .*|version: $number|; s|^appVersion: .*|appVersion: $number|" "$source/Chart.yaml"
	# Each image's digest follows its repository.
	awk -v registry="$registry" -v operator="${digests[operator]}" -v loadgen="${digests[loadgen]}" '
		/^ *repository: ghcr\.io\/mongobench\// { digest = /operator$/ ? operator : loadgen }
		/^ *digest: ""$/ { sub(/""/, "\"" digest "\"") }
		{ sub(/ghcr\.io\/mongobench/, registry); print }' charts/mongobench-operator/values.yaml >"$source/values.yaml"
	chart=$out/mongobench-operator-$number.tgz
	"$helm" package --destination "$work" "$source" >/dev/null
	tar -xmzf "$work/mongobench-operator-$number.tgz" -C "$work/packed"
	pack "$chart" -C "$work/packed" mongobench-operator
	cp "$chart" "$work/chart.tgz"
	go -C hack/release run . json "$source/Chart.yaml" >"$work/chart.tgz.json"
	images -chart "$work/chart.tgz" >/dev/null
}

build_manifest() {
	say "install.yaml, first.yaml"
	{
		cat config/default/namespace.yaml config/crd/mongobench.dev_*.yaml # Each definition begins with a line of ---.
		"$helm" template mongobench "$chart" --namespace mongobench-system --set crds.install=false
	} >"$out/install.yaml"
	cp config/samples/tasks/first.yaml "$out/"
	local name
	for name in operator loadgen; do
		grep -qF "$registry/$name@${digests[$name]}" "$out/install.yaml" ||
			{ say "install.yaml does not name the image $name by its digest"; exit 1; }
	done
}

build_krew() {
	[[ $PLATFORMS == "$all_platforms" ]] || { say "no manifest for Krew, which is for all platforms"; return; }
	hack/krew/manifest.sh "$out"
	go run ./hack/krew "$out" >&2
}

build_sboms() {
	say "what everything is made of"
	local program platform archive name roots
	go -C hack/release build -o "$work/release" .
	for program in "${programs[@]}"; do
		for platform in $(platforms_of "$program"); do
			archive=$out/${program}_${version}_$platform.tar.gz
			"$work/release" sbom -created "$seconds" -subject "$archive" "$work/$platform/$program" >"${archive%.tar.gz}.spdx.json"
		done
	done
	roots=$(go -C hack/images list -m -f '{{.Path}}@{{.Version}}' golang.org/x/crypto/x509roots/fallback)
	for name in operator loadgen ferretdb; do
		program=${name/operator/manager}
		"$work/release" sbom -created "$seconds" -subject "$registry/$name@${digests[$name]}" \
			$([[ $name != loadgen ]] || echo -also "$roots") "$work"/linux_{amd64,arm64}/"$program" >"$out/image-$name.spdx.json"
	done
}

# notes are what CHANGELOG.md says of this version.
build_notes() {
	if [[ -f .changes/$version.md ]]; then
		cp ".changes/$version.md" "$out/CHANGELOG.md"
	else
		say "there is no .changes/$version.md: the notes are those of what is unreleased"
		"$(hack/tools/tool.sh changie)" batch "$version" --dry-run >"$out/CHANGELOG.md"
	fi
}

sum_and_sign() {
	say "sums${key:+, signature and provenance}"
	(cd "$out" && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >"$work/SHA256SUMS")
	mv "$work/SHA256SUMS" "$out/SHA256SUMS"
	[[ -n $key ]] || return 0
	openssl dgst -sha256 -sign "$key" -out "$out/SHA256SUMS.sig" "$out/SHA256SUMS"
	openssl pkey -in "$key" -pubout -out "$out/release.pub"
	"$work/release" provenance -key "$key" -version "$version" -commit "$commit" -created "$seconds" -registry "$registry" \
		"$out/SHA256SUMS" >"$out/provenance.intoto.jsonl"
}

[[ -z $key || -r $key ]] || { say "SIGNING_KEY=$key cannot be read"; exit 2; }
rm -rf "$out"
mkdir -p "$out"
build_programs
build_images
build_chart
build_manifest
build_krew
build_sboms
build_notes
sum_and_sign
say "$out is $version of $commit, $(du -sh "$out" | cut -f 1)"
