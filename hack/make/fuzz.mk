##@ Checks

FUZZTIME ?= 60s
FUZZTIME_OTHERS ?= 10s

.PHONY: fuzz
fuzz: prerequisites ## Fuzz every Fuzz function, two at a time (FUZZTIME=60s for parsers of foreign input, FUZZTIME_OTHERS=10s for the rest).
	@FUZZTIME="$(FUZZTIME)" FUZZTIME_OTHERS="$(FUZZTIME_OTHERS)" hack/make/fuzz.sh
