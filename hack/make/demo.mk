##@ Try it

RUN ?= config/samples/standalone.yaml
KEEP ?=
CLUSTER ?=
export KEEP CLUSTER

.PHONY: demo
demo: prerequisites ## Run one benchmark (RUN=file) in a cluster made for it, show its result, clean up (KEEP=1: not).
	@hack/demo/demo.sh "$(RUN)"
