##@ Try it

RUN ?= config/samples/standalone.yaml
NAME ?=
KEEP ?=
CLUSTER ?=
export KEEP CLUSTER

.PHONY: demo
demo: prerequisites ## Run benchmarks (RUN=file or folder, NAME=one of it) in a cluster made for it, show the results, clean up (KEEP=1: not).
	@hack/demo/demo.sh "$(RUN)" "$(NAME)"

.PHONY: studies
studies: prerequisites ## Run the studies of earlier years in small (NAME=one of them), and put their figures into docs/studies.
	@hack/demo/studies.sh "$(NAME)"
