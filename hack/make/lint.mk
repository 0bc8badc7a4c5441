##@ Checks

.PHONY: lint
lint: prerequisites ## Run golangci-lint with .golangci.yml over every Go module (FIX=1 fixes what it can).
	@linter=$$(hack/tools/tool.sh golangci-lint)
	failed=()
	for module in $(GO_MODULES); do
		echo "lint: $$module"
		(cd "$$module" && "$$linter" run --config "$(CURDIR)/.golangci.yml" $(if $(filter 1,$(FIX)),--fix) ./...) ||
			failed+=("$$module")
	done
	if (($${#failed[@]})); then
		echo "lint: findings in $${failed[*]}" >&2
		exit 1
	fi

FIX ?=

# Every folder with a go.mod that holds code of ours. Left out: hack/tools and hack/e2e/neighbours/*/module, which only pin third-party programs, and the three
# thin programs that link in Kubernetes, etcd and CoreDNS, whose types alone take a linter longer than all the rest together.
GO_MODULES = $(shell find . -name go.mod -not -path './hack/tools/*' -not -path '*/neighbours/*' -not -path '*/testdata/*' \
	-not -path './hack/cluster/kubernetes/*' -not -path './hack/cluster/etcd/*' -not -path './hack/images/coredns/*' \
	-printf '%h\n' | sort)
