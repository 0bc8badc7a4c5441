##@ Checks

.PHONY: test race limits
test: prerequisites ## Run the tests of every Go module, with a real API server and real mongod servers.
	@hack/make/test.sh

race: prerequisites ## Run with the race detector the tests of all packages where goroutines meet; make test has it where it costs little.
	@RACE=all hack/make/test.sh

limits: mongod ## Make every situation on purpose in which the cause that limits a load is known, and print what the result names (docs/how-to/what-limits-it.md).
	@go test -count=1 -v -timeout 30m ./loadgen/limits -long
