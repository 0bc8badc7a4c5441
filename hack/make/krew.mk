##@ Release

.PHONY: krew
krew: prerequisites ## Build the plugin's archives and manifest for Krew in dist/krew, and check them against Krew's rules.
	@binaries=$$(mktemp -d)
	trap 'rm -rf "$$binaries"' EXIT
	rm -rf dist/krew
	hack/release/programs.sh "$$binaries" dist/krew kubectl-mongobench
	if [[ -z "$${PLATFORMS:-}" ]]; then
		hack/krew/manifest.sh dist/krew
		go run ./hack/krew dist/krew
	fi
