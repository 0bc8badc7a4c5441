package wiresession

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// NeedsDriver says why a step cannot be done by the wire client, nil if it can. A Load always can, if the connection
// string can.
func (o *Opener) NeedsDriver(step planv1.Step) error {
	if reason := beyondWire(o.options); reason != "" {
		return fmt.Errorf("the connection string has %s", reason)
	}
	for _, declared := range step.Operations {
		if reason := o.operationBeyondWire(declared); reason != "" {
			return fmt.Errorf("operation %q %s", declared.Name, reason)
		}
	}
	return nil
}

// operationBeyondWire says what about an operation the wire client does not know, empty for nothing.
func (o *Opener) operationBeyondWire(declared planv1.Operation) string {
	row := operation.OfPlanned(declared)
	switch {
	case !row.SentBy(operation.Wire):
		return "is of kind " + declared.Kind
	case row.Takes(operation.WriteConcern) && !row.Takes(operation.ReadPreference):
		// Writes go to the primary, whatever is preferred for reads.
		return ""
	}
	preference := declared.ReadPreference
	if preference == "" {
		preference = o.terms.Preference.Mode().String()
	}
	if !strings.EqualFold(preference, readpref.PrimaryMode.String()) {
		return "has the read preference " + preference
	}
	return ""
}

// beyondWire says what in a connection string the wire client does not know, empty for nothing.
func beyondWire(o *options.ClientOptions) string {
	switch {
	case o.Auth != nil && !wire.Supports(o.Auth.AuthMechanism):
		return "the authentication mechanism " + o.Auth.AuthMechanism
	case len(o.Compressors) > 0:
		return "compressors"
	case o.LoadBalanced != nil && *o.LoadBalanced:
		return "a load balancer"
	case o.ServerAPIOptions != nil:
		return "a version of the server's API"
	}
	for _, host := range o.Hosts {
		if strings.HasSuffix(host, ".sock") {
			return "a Unix socket"
		}
	}
	return ""
}
