##@ Local cluster

NODES ?= 1

.PHONY: cluster-up
cluster-up: prerequisites ## Start a real Kubernetes cluster on this machine, unless it is running (root, Linux; NODES=1 to 3; REPLACE=1).
	@go -C hack/cluster run . up --nodes "$(NODES)" $(if $(REPLACE),--replace)

.PHONY: cluster-down
cluster-down: ## Stop the local cluster and leave the machine as it was, even after a crash.
	@go -C hack/cluster run . down

.PHONY: cluster-doctor
cluster-doctor: ## Check what this machine lacks for a local cluster, and what to do about it.
	@go -C hack/cluster run . doctor

.PHONY: cluster-test
cluster-test: prerequisites ## Test that a local cluster leaves nothing behind, whatever is killed (root, Linux; 3 minutes).
	@cd hack/cluster && go test -tags e2e -count 1 -timeout 20m .
