# mongobench: every task of a developer is a target here. `make help` lists them.
#
# The targets live in hack/make/*.mk, one file a subject. Each asks nothing, says what it does while it does it, and may be
# repeated. What is built or fetched lands outside the tree, under $(MONGOBENCH_CACHE).

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
