##@ Local images and servers

.PHONY: images
images: prerequisites ## Build the image tarballs of a local cluster into the cache (IMAGES="operator loadgen" for some).
	@cd hack/images && go run . build $(IMAGES)

.PHONY: mongod
mongod: prerequisites ## Fetch real mongod servers for the tests into the cache (MONGOD="5.0.4" for others than 6.0.5 and 4.4.2).
	@cd hack/images && go run . mongod $(MONGOD)

IMAGES ?=
MONGOD ?=
