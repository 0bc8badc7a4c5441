##@ Checks

.PHONY: test
test: prerequisites ## Run the tests of every Go module, with the race detector where goroutines meet, a real API server and real mongod servers.
	@hack/make/test.sh
