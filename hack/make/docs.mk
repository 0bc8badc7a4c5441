##@ Documentation

.PHONY: docs
docs: prerequisites ## Build the documentation site into dist/docs, and check its links.
	@hack/docs/build.sh

.PHONY: pictures
pictures: prerequisites ## Take the pictures of report pages that the site shows, with a headless Chromium, into dist/pictures.
	@hack/docs/build.sh pictures
