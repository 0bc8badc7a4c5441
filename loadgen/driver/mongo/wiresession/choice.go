package wiresession

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// NeedsDriver says why a step cannot be done by the wire client, nil if it can. A Load always can, if the connection
// string can.
func (o *Opener) NeedsDriver(step planv1.Step) error {
	if reason := beyondWire(o.options); reason != "" {
		return fmt.Errorf("the connection string has %s", reason)
	}
	for _, operation := range step.Operations {
		if reason := o.operationBeyondWire(operation); reason != "" {
			return fmt.Errorf("operation %q %s", operation.Name, reason)
		}
	}
	return nil
}

// operationBeyondWire says what about an operation the wire client does not know, empty for nothing.
func (o *Opener) operationBeyondWire(operation planv1.Operation) string {
	switch operation.Kind {
	case workload.Transaction.String(), workload.ChangeStream.String(), workload.Tail.String():
		return "is of kind " + operation.Kind
	case workload.InsertOne.String(), workload.InsertMany.String(), workload.UpdateOne.String(),
		workload.UpdateMany.String(), workload.ReplaceOne.String(), workload.DeleteOne.String(),
		workload.DeleteMany.String(), workload.FindOneAndUpdate.String(), workload.BulkWrite.String():
		// Writes go to the primary, whatever is preferred for reads.
		return ""
	default:
	}
	preference := operation.ReadPreference
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
