##@ Release

.PHONY: release
release: prerequisites ## Make a release in dist/release (VERSION=v0.2.0, REGISTRY=ghcr.io/mongobench, SIGNING_KEY=file, PLATFORMS, OUT).
	@hack/release/build.sh

.PHONY: release-push
release-push: prerequisites ## Push the images and the chart of dist/release (VERSION, REGISTRY; PLAIN_HTTP=1 without TLS).
	@hack/release/push.sh

.PHONY: release-test
release-test: prerequisites ## Make a release, install it by the README's commands from a registry of its own, and run a benchmark (TWICE=yes: make it twice, and compare; root, Linux).
	@hack/release/try.sh
