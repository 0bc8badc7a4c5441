# Container images without an engine, and real MongoDB servers: see hack/images/README.md.

IMAGES ?=
MONGOD ?=

.PHONY: images mongod

images: ## Build image tarballs into the cache (IMAGES="operator loadgen" for some only).
	cd hack/images && go run . build $(IMAGES)

mongod: ## Fetch real mongod servers for the tests into the cache (MONGOD="5.0.4" for others).
	cd hack/images && go run . mongod $(MONGOD)
