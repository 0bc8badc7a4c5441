##@ Checks

BENCH ?= .

.PHONY: bench
bench: prerequisites ## Run the Go benchmarks of the load generator (BENCH=regexp for some).
	@echo "bench: time and allocations an operation costs the load generator itself"
	go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 20m ./loadgen/... ./api/... | grep -v '\[no test files\]'
