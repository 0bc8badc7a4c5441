##@ General

.PHONY: help
help: ## Show the targets of this Makefile (default).
	@awk -f hack/make/help.awk $(sort $(wildcard hack/make/*.mk))

.PHONY: clean
clean: ## Delete build output in the tree (CACHE=1 also deletes the cache outside it).
	@echo "clean: deleting bin/ and dist/"
	rm -rf bin dist
	if [[ "$(CACHE)" == 1 ]]; then
		echo "clean: deleting $(MONGOBENCH_CACHE)"
		rm -rf -- "$(MONGOBENCH_CACHE)"
	fi

CACHE ?=
