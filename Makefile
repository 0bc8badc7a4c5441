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

# One set of flags for all that is built, linted, tested and fuzzed: a package is compiled once, and once more for the race
# detector, instead of once for each set. A fresh machine spends most of its first hour in the compiler, which collects no
# garbage as long as 2 GiB are enough: compiling the API with all that it imports takes a quarter less of the processors.
# That is for the compiler and the linker alone. What is tested or measured runs as it does elsewhere. Nor does the compiler
# make what only a debugger reads, for all programs are linked without it: a twelfth less.
GOFLAGS ?=
export GOFLAGS := $(strip -trimpath -buildvcs=false -gcflags=all=-dwarf=false '-toolexec=env GOGC=off GOMEMLIMIT=2GiB' \
	$(filter-out -trimpath -buildvcs=% -gcflags=all=-dwarf=false '-toolexec=env GOGC=% GOMEMLIMIT=%,$(GOFLAGS)))
export CGO_ENABLED ?= 0

# hack/make/prerequisites.sh puts a Go here when the machine has none that is new enough.
export PATH := $(MONGOBENCH_CACHE)/go/bin:$(PATH)

include $(sort $(wildcard hack/make/*.mk))
