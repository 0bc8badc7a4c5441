##@ Generated files

.PHONY: generate
generate: prerequisites ## Regenerate deepcopy code, CRDs, config/ and the API reference.
	@hack/make/generate.sh
