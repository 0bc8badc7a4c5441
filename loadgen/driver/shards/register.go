package shards

import (
	"context"

	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
)

// Driver routes to shards.
var Driver = driver.Driver{
	Database: mongo.Database,
	Takes:    func(config driver.Config) bool { return len(config.URIs) > 1 },
	Open: func(ctx context.Context, config driver.Config) (driver.Target, error) {
		return Open(ctx, mongo.Configs(config))
	},
}
