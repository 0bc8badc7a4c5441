##@ Checks

BENCH ?=
ONLY ?=
# The clients are 18 cells a round.
ROUNDS ?= $(if $(filter clients,$(ONLY)),3,5)
SECONDS ?= $(if $(filter clients,$(ONLY)),2,3)
RUNS ?=
# How long each of the six recordings of duets is, and which are made. 0 looks at those of earlier times.
MINUTES ?= 30
SCENES ?=

.PHONY: bench
bench: prerequisites ## Measure the load generator and the operator (ONLY=loadgen, controller, clients, calibration, duets or honesty, ROUNDS=5, SECONDS=3, MINUTES=30, SCENES=quiet,neighbour,throughput,p99, RUNS=100,300,1000), or run Go benchmarks (BENCH=regexp).
	@if [[ -n "$(BENCH)" ]]; then
		echo "bench: time and allocations per operation of the load generator itself"
		go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 20m ./loadgen/... ./internal/... ./controllers/... ./hack/perf/... | grep -v '\[no test files\]'
		exit
	fi
	case "$(ONLY)" in
		'' | loadgen | controller | clients | calibration | duets | honesty) ;;
		*) echo "bench: ONLY=$(ONLY) is not known: choose loadgen, controller, clients, calibration, duets or honesty, or leave it out for the first two" >&2; exit 2 ;;
	esac
	[[ "$(ONLY)" == controller ]] || $(MAKE) mongod
	if [[ -z "$(ONLY)" || "$(ONLY)" == controller ]]; then
		go -C hack/cluster run . build # The API server and etcd.
	fi
	mkdir -p "$(MONGOBENCH_CACHE)/perf"
	go build -o "$(MONGOBENCH_CACHE)/perf/perf" ./hack/perf
	# Replaces the shell, so that signals reach it.
	exec "$(MONGOBENCH_CACHE)/perf/perf" --rounds "$(ROUNDS)" --seconds "$(SECONDS)" --minutes "$(MINUTES)" $(if $(RUNS),--runs "$(RUNS)") $(if $(SCENES),--scenes "$(SCENES)") $(ONLY)
