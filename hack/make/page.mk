##@ Checks

.PHONY: page-test
page-test: prerequisites ## Open report pages in a real headless Chromium, which it installs if need be (as root on Debian).
	@hack/page/test.sh
