##@ Try it

.PHONY: krew
krew: prerequisites ## Build the plugin's archives and manifest for Krew in dist/krew, and check them against Krew's rules.
	@hack/krew/build.sh
	go run ./hack/krew dist/krew
