##@ Local images and servers

.PHONY: images
images: prerequisites ## Build the image tarballs of a local cluster into the cache (IMAGES="operator loadgen" selects some).
	@cd hack/images && go run . build $(IMAGES)

.PHONY: mongod
mongod: prerequisites ## Download real mongod servers for the tests into the cache (MONGOD="6.0.27"; default 4.2.6, 4.4.2, 5.0.4, 6.0.5).
	@cd hack/images && go run . mongod $(MONGOD)

.PHONY: mariadb
mariadb: prerequisites ## Download a real MariaDB server for the tests into the cache and print its folder (MARIADB="10.11.18" selects one).
	@cd hack/images && go run . mariadb $(MARIADB)

.PHONY: mysql
mysql: prerequisites ## Download MySQL servers into the cache and print their folders (MYSQL="5.5.9"; default 5.6.14, 5.5.9; 325 and 140 MB).
	@cd hack/images && go run . mysql $(MYSQL)

IMAGES ?=
MONGOD ?=
MARIADB ?=
MYSQL ?=
