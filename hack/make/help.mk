##@ General

.PHONY: help
help: ## Show the targets of this Makefile (the default).
	@awk -f hack/make/help.awk $(sort $(wildcard hack/make/*.mk))

.PHONY: clean
clean: ## Delete what the targets left in the tree. The cache outside it stays (CACHE=1 deletes that too).
	@echo "clean: deleting bin/ and dist/"
	rm -rf bin dist
	if [[ "$(CACHE)" == 1 ]]; then
		echo "clean: deleting $(MONGOBENCH_CACHE)"
		rm -rf -- "$(MONGOBENCH_CACHE)"
	fi

CACHE ?=
