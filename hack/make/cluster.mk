##@ Local cluster

NODES ?= 1

.PHONY: cluster-up
cluster-up: prerequisites ## Bring up a real Kubernetes cluster on this machine (root, Linux; NODES=1 to 3), or find it healthy.
	@go -C hack/cluster run . up --nodes "$(NODES)"

.PHONY: cluster-down
cluster-down: ## Take the local cluster down and leave the machine as it was, also after a crash.
	@go -C hack/cluster run . down

.PHONY: cluster-doctor
cluster-doctor: ## Say what this machine lacks for a local cluster, and what to do about it.
	@go -C hack/cluster run . doctor

.PHONY: cluster-test
cluster-test: prerequisites ## Prove that a local cluster leaves nothing behind, whatever is killed when (root, Linux; 3 minutes).
	@cd hack/cluster && go test -tags e2e -count 1 -timeout 20m .
