##@ Checks

.PHONY: test race
test: prerequisites ## Run the tests of every Go module, with a real API server and real mongod servers.
	@hack/make/test.sh

race: prerequisites ## Run with the race detector the tests of all packages where goroutines meet; make test has it where it costs little.
	@RACE=all hack/make/test.sh
