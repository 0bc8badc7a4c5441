package mongo

import (
	"context"

	"github.com/mongobench/mongobench-operator/loadgen/driver"
)

// Database is what targets of this driver are called in messages.
const Database = "MongoDB"

// Driver speaks to MongoDB, and to what speaks its protocol.
var Driver = driver.Driver{
	Database: Database,
	Takes:    func(driver.Config) bool { return true },
	Open: func(ctx context.Context, config driver.Config) (driver.Target, error) {
		return Open(ctx, Configs(config)[0])
	},
}

// Configs are what each connection string is connected to by.
func Configs(config driver.Config) []Config {
	all := make([]Config, 0, len(config.URIs))
	for _, uri := range config.URIs {
		all = append(all, Config{
			URI: uri, Credentials: config.Credentials, CAFile: config.CAFile, Connections: config.Connections,
			ObserverCredentials: config.ObserverCredentials, ActionCredentials: config.ActionCredentials,
			OperationTimeout: config.OperationTimeout, SelectionTimeout: config.SelectionTimeout,
		})
	}
	return all
}
