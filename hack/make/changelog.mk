##@ Release

KIND ?=
BODY ?=
VERSION ?=

.PHONY: change
change: prerequisites ## Note a change for the next release (KIND=Added, Changed, Deprecated, Removed, Fixed or Security, BODY="what and why").
	@# The body comes by the environment, so that it may have any quotes.
	"$$(hack/tools/tool.sh changie)" new --interactive=false --kind "$(KIND)" --body "$$BODY"

.PHONY: changelog
changelog: prerequisites ## Make the notes of a version of the changes noted since the last, and CHANGELOG.md of all (VERSION=v0.2.0).
	@[[ "$(VERSION)" == v* ]] || { echo "changelog: say which version: make changelog VERSION=v0.2.0" >&2; exit 2; }
	changie=$$(hack/tools/tool.sh changie)
	"$$changie" batch "$(VERSION)"
	"$$changie" merge
	echo "changelog: wrote .changes/$(VERSION).md and CHANGELOG.md: read them, and commit both"

.PHONY: verify-changelog
verify-changelog: prerequisites ## Check that the changes noted can be read, and that CHANGELOG.md is what they make.
	@changie=$$(hack/tools/tool.sh changie)
	echo "verify: the changes noted, and CHANGELOG.md"
	"$$changie" batch patch --dry-run >/dev/null
	"$$changie" merge --dry-run | diff - CHANGELOG.md || {
		echo "verify: CHANGELOG.md is made of .changes by make changelog; change the files there" >&2
		exit 1
	}
