##@ Tools

TOOLS := $(patsubst hack/tools/%/go.mod,%,$(wildcard hack/tools/*/go.mod))

.PHONY: tools
tools: prerequisites ## Build every pinned tool (hack/tools/NAME/go.mod) that is missing on this machine.
	@for tool in $(TOOLS); do
		echo "tools: $$(hack/tools/tool.sh "$$tool")"
	done

.PHONY: prerequisites
prerequisites: ## Check for Go, git and a C compiler, and install what is missing (as root on Debian or Ubuntu).
	@hack/make/prerequisites.sh
