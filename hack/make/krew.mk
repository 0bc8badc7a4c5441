##@ Try it

.PHONY: krew
krew: prerequisites ## Build the plugin's archives and manifest for Krew into dist/krew, and check them by Krew's rules.
	@hack/krew/build.sh
	go run ./hack/krew dist/krew
