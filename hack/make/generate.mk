##@ Generated files

.PHONY: generate
generate: prerequisites ## Write deepcopy code, CRDs, config/ and the API reference anew from their sources.
	@hack/make/generate.sh
