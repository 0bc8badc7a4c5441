package sql

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mongobench/mongobench-operator/loadgen/driver"
)

// Database is what targets of this driver are called in messages.
const Database = "MariaDB"

// Driver speaks SQL.
var Driver = driver.Driver{
	Database: Database,
	Takes:    Takes,
	Open: func(ctx context.Context, config driver.Config) (driver.Target, error) {
		own, err := ConfigOf(config)
		if err != nil {
			return nil, err
		}
		return Open(ctx, own)
	},
}

// Takes says whether a connection string is that of a MariaDB or MySQL.
func Takes(config driver.Config) bool {
	return slices.ContainsFunc(config.URIs, func(uri string) bool { return strings.HasPrefix(uri, Scheme) })
}

// ConfigOf is what one server is connected to by.
func ConfigOf(config driver.Config) (Config, error) {
	switch {
	case len(config.URIs) > 1:
		return Config{}, errors.New("several connection strings were given; a load goes to one MariaDB")
	case config.WireVersion != nil:
		return Config{}, errors.New("--wire-version is for MongoDB")
	}
	return Config{
		URI: config.URIs[0], Credentials: config.Credentials, ObserverCredentials: config.ObserverCredentials,
		CAFile: config.CAFile, OperationTimeout: config.OperationTimeout, SelectionTimeout: config.SelectionTimeout,
	}, nil
}
