##@ Release

.PHONY: release
release: prerequisites ## Make a release in dist/release (VERSION=v0.2.0, REGISTRY=ghcr.io/mongobench, SIGNING_KEY=file, PLATFORMS, OUT).
	@hack/release/build.sh

.PHONY: release-push
release-push: prerequisites ## Push the images and the chart of dist/release (VERSION, REGISTRY; PLAIN_HTTP=1 without TLS).
	@hack/release/push.sh
