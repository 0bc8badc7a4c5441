package legacy

import (
	"context"

	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
)

// Driver speaks to servers that the driver of today does not.
var Driver = driver.Driver{
	Database: mongo.Database,
	Takes:    func(config driver.Config) bool { return config.WireVersion != nil },
	Open: func(ctx context.Context, config driver.Config) (driver.Target, error) {
		return Open(ctx, mongo.Configs(config)[0], config.WireVersion)
	},
	Rescues: func(ctx context.Context, config driver.Config) bool {
		if len(config.URIs) > 1 || config.WireVersion != nil {
			return false
		}
		old, _ := Speaks(ctx, mongo.Configs(config)[0])
		return old
	},
}
