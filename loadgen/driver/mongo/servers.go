package mongo

import (
	"time"

	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// Servers is what a Config says, for a client that speaks to the servers without the driver.
type Servers struct {
	// Hosts as host:port, and Direct when only the first of them is to be spoken to, whatever it is.
	Hosts  []string
	Direct bool
	// Wire is how connections are made.
	Wire wire.Config
	// Timeout bounds every operation, and SelectionTimeout the search for a server that can take it.
	Timeout, SelectionTimeout time.Duration
	// WriteConcern of operations that have none of their own; nil for the server's default.
	WriteConcern *planv1.WriteConcern
}

// Servers reads the connection string and the files that go with it.
func (c Config) Servers() (Servers, error) {
	o, err := clientOptions(c)
	if err != nil {
		return Servers{}, err
	}
	return Servers{
		Hosts: o.Hosts, Direct: o.Direct != nil && *o.Direct, Wire: wireConfig(o),
		Timeout: *o.Timeout, SelectionTimeout: *o.ServerSelectionTimeout, WriteConcern: declaredConcern(o),
	}, nil
}

// Refused is the error of a server that did not do what it was asked to, in the form of the driver's.
func Refused(code int32, message string) error {
	return driver.CommandError{Code: code, Message: message}
}

// Classify names the class of an error, of the driver or of Refused: one of those that reportv1.ErrorClass lists.
func Classify(err error) string {
	return classify(err)
}
