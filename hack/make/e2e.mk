##@ Checks

.PHONY: e2e
e2e: prerequisites ## Run the end-to-end tests (CLUSTER=kind or local, NODES=3, E2E_RUN=regexp, KEEP=1; NEIGHBOURS=all or "kueue krew": only these).
	@NODES=$${NODES:-$(if $(NEIGHBOURS),2,3)} RESERVED_TAINT=mongobench-e2e-reserved MORE_IMAGES="$(E2E_IMAGES)" hack/make/with-cluster.sh \
		hack/verify/gotest.sh -tags e2e -count 1 -timeout $(E2E_TIMEOUT) -p $(if $(NEIGHBOURS),1,2) \
		-parallel $(E2E_PARALLEL) $(if $(E2E_RUN),-run '$(E2E_RUN)') $(E2E_PACKAGES)

.PHONY: e2e-soak
e2e-soak: prerequisites ## Run benchmarks while pods of every component are deleted at random (SOAK=30m, SOAK_SEED=number, SOAK_RUNS=3).
	@NODES=$${NODES:-2} SOAK=$(SOAK) hack/make/with-cluster.sh go test -tags soak -count 1 -timeout 0 -v \
		-parallel 100 -run TestSoak ./hack/e2e/soak

.PHONY: e2e-sizes
e2e-sizes: prerequisites ## Compare searches for the smallest variant with the whole matrix (SIZES_SEARCHES=10; an hour, on a quiet machine).
	@NODES=$${NODES:-2} hack/make/with-cluster.sh go test -tags sizes -count 1 -timeout 0 -v ./hack/e2e/sizes

.PHONY: cgroup2-test
cgroup2-test: prerequisites ## Measure a mongod under limits on a kernel with cgroup version 2 alone, started as a process (root; no cluster).
	@hack/verify/gotest.sh -tags e2e -count 1 -timeout 30m ./hack/e2e/neighbours/cgroup2

E2E_RUN ?=
# Third-party programs that scenarios run in the cluster, and the release that one of them upgrades. Each is built once per
# machine, which takes minutes on two cores. A neighbour names its own in a file `images`.
E2E_IMAGES ?= $(if $(NEIGHBOURS),,prometheus prometheus-operator prometheus-config-reloader operator:0.1.0 loadgen:0.1.0)\
	$(strip $(foreach list,$(wildcard $(if $(filter all,$(NEIGHBOURS)),hack/e2e/neighbours/*/images,\
	$(patsubst %,hack/e2e/neighbours/%/images,$(or $(NEIGHBOURS),$(FAST_NEIGHBOURS))))),$(file <$(list))))
E2E_TIMEOUT ?= 50m
# How many of the parallel scenarios run at the same time.
E2E_PARALLEL ?= 4
# The programs of others that mongobench works with, each in a folder below hack/e2e/neighbours. Those that are built and
# run within a minute or so, and need no cluster, are part of every run, beside the scenarios.
NEIGHBOURS ?=
FAST_NEIGHBOURS := krew ycsb
E2E_PACKAGES = $(if $(NEIGHBOURS),,./hack/e2e ./hack/e2e/harness) $(if $(filter all,$(NEIGHBOURS)),./hack/e2e/neighbours/...,\
	$(patsubst %,./hack/e2e/neighbours/%,$(or $(NEIGHBOURS),$(FAST_NEIGHBOURS))))
SOAK ?= 30m
