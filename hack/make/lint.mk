##@ Checks

.PHONY: lint
lint: prerequisites ## Run golangci-lint with .golangci.yml over every Go module (FIX=1 fixes what it can).
	@hack/tools/tool.sh golangci-lint >/dev/null
	# The first has looked at most of what the others import, which two at once would do twice, and takes 8 GB of memory.
	failed=; $(MAKE) lint-module/. || failed=.
	$(MAKE) --jobs=2 --keep-going --output-sync=target $(patsubst %,lint-module/%,$(filter-out .,$(GO_MODULES)))
	[[ -z $$failed ]]

lint-module/%:
	@echo "lint: $*"
	cd "$*" && GOGC=off GOMEMLIMIT=8GiB "$$($(CURDIR)/hack/tools/tool.sh golangci-lint)" run --config "$(CURDIR)/.golangci.yml" $(if $(filter 1,$(FIX)),--fix) ./...

FIX ?=

# Every folder with a go.mod that holds code of ours. Left out: hack/tools and hack/e2e/neighbours/*/module, which only pin third-party programs, and the three
# thin programs that link in Kubernetes, etcd and CoreDNS, whose types alone take a linter longer than all the rest together.
GO_MODULES = $(shell find . -name go.mod -not -path './hack/tools/*' -not -path '*/neighbours/*' -not -path '*/testdata/*' \
	-not -path './hack/cluster/kubernetes/*' -not -path './hack/cluster/etcd/*' -not -path './hack/images/coredns/*' \
	-printf '%h\n' | sort)
