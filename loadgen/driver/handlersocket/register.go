package handlersocket

import (
	"context"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
)

// Driver speaks HandlerSocket to a MariaDB.
var Driver = driver.Driver{
	Database: sql.Database,
	Takes: func(config driver.Config) bool {
		return sql.Takes(config) && config.Client == planv1.ClientHandlerSocket
	},
	Open: func(ctx context.Context, config driver.Config) (driver.Target, error) {
		own, err := sql.ConfigOf(config)
		if err != nil {
			return nil, err
		}
		return Open(ctx, own)
	},
}
