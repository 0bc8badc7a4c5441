package main

import (
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/handlersocket"
	"github.com/mongobench/mongobench-operator/loadgen/driver/legacy"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
)

// drivers are asked in this order whether a target is theirs.
var drivers = []driver.Driver{handlersocket.Driver, sql.Driver, shards.Driver, legacy.Driver, mongo.Driver}
