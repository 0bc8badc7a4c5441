##@ Checks

.PHONY: e2e
e2e: prerequisites ## Run the end-to-end tests (CLUSTER=kind or local, NODES=2, E2E_RUN=regexp, KEEP=1).
	@NODES=$${NODES:-2} hack/make/with-cluster.sh go run ./hack/verify/gotest -tags e2e -count 1 -timeout $(E2E_TIMEOUT) \
		$(if $(E2E_RUN),-run '$(E2E_RUN)') ./hack/e2e/...

E2E_RUN ?=
E2E_TIMEOUT ?= 30m
