##@ Checks

BENCH ?=
ONLY ?=
ROUNDS ?= 5
SECONDS ?= 3

.PHONY: bench
bench: prerequisites ## Measure beside the peers (ONLY=loadgen or controller, ROUNDS=5, SECONDS=3), or run Go benchmarks (BENCH=regexp).
	@if [[ -n "$(BENCH)" ]]; then
		echo "bench: time and allocations an operation costs the load generator itself"
		go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 20m ./loadgen/... ./api/... ./hack/perf/... | grep -v '\[no test files\]'
		exit
	fi
	case "$(ONLY)" in
		'' | loadgen | controller) ;;
		*) echo "bench: ONLY=$(ONLY) is not known: choose loadgen or controller, or leave it out for both" >&2; exit 2 ;;
	esac
	[[ "$(ONLY)" == controller ]] || $(MAKE) mongod
	mkdir -p "$(MONGOBENCH_CACHE)/perf"
	go build -o "$(MONGOBENCH_CACHE)/perf/perf" ./hack/perf
	# In place of the shell, so that a signal reaches it.
	exec "$(MONGOBENCH_CACHE)/perf/perf" --rounds "$(ROUNDS)" --seconds "$(SECONDS)" $(ONLY)
