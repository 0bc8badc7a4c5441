# mongobench: every developer task is a target here. `make help` lists them.
#
# The targets live in hack/make/*.mk, one file per subject. Each runs without questions, says what it does, and can be
# repeated. What is built or downloaded goes outside the tree, to $(MONGOBENCH_CACHE).

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --warn-undefined-variables --no-print-directory

export MONGOBENCH_CACHE ?= $(HOME)/.cache/mongobench

# hack/make/prerequisites.sh puts a Go here when the machine has none that is new enough.
export PATH := $(MONGOBENCH_CACHE)/go/bin:$(PATH)

include $(sort $(wildcard hack/make/*.mk))
