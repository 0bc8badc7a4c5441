##@ Try it

RUN ?= config/samples/standalone.yaml
NAME ?=
KEEP ?=
CLUSTER ?=
export KEEP CLUSTER

.PHONY: demo
demo: prerequisites ## Run benchmarks (RUN=file or folder, NAME=one of them) in a new cluster, show the results, clean up (KEEP=1 keeps the cluster).
	@hack/demo/demo.sh "$(RUN)" "$(NAME)"

.PHONY: studies
studies: prerequisites ## Run the studies at small scale (NAME=one of them), and write their figures to docs/studies.
	@hack/demo/studies.sh "$(NAME)"
