##@ Checks

.PHONY: page-test
page-test: prerequisites ## Test the report pages in a real headless Chromium, installing it if missing (as root on Debian).
	@hack/page/test.sh
