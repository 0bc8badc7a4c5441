package topology

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/event"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
)

// Credentials are a name and a password.
type Credentials struct {
	Username string
	Password string
}

// Secrets are what a topology Job is given as files.
type Secrets struct {
	// Keyfile is the text of the members' keyfile.
	Keyfile string
	// Admin may do everything; it is for people.
	Admin Credentials
	// Load may read and write the target's databases.
	Load Credentials
	// Observer may look at the servers.
	Observer Credentials
	// Action may carry out the actions of a workload.
	Action Credentials
	// CAFile holds the authority, in PEM, that signed the members' certificates; empty: there is no TLS.
	CAFile string
}

// Build brings the members into the declared topology, makes the users, and returns what the servers said of
// themselves. It may be repeated. The context's deadline bounds all of it; an error names the member and the cause.
func Build(ctx context.Context, t planv1.Topology, secrets Secrets) (reportv1.Server, error) {
	server, err := (&builder{topology: t, secrets: secrets}).build(ctx)
	if err == nil {
		server.TLS = connection.TLSName(secrets.CAFile != "")
	}
	return server, err
}

// builder builds one topology.
type builder struct {
	topology planv1.Topology
	secrets  Secrets
	// monitor, which may be nil, sees every command.
	monitor *event.CommandMonitor
}

// build makes the sets first, with all their users, and then joins them: what mongos needs is there by then.
func (b *builder) build(ctx context.Context) (reportv1.Server, error) {
	sets, err := b.connectSets(ctx)
	if err != nil {
		return reportv1.Server{}, err
	}
	defer sets.close(ctx)
	if err := b.formSets(ctx, sets); err != nil {
		return reportv1.Server{}, err
	}
	if len(b.topology.Mongos) == 0 {
		return b.describe(ctx, sets)
	}
	routers, err := b.connectRouters(ctx)
	if err != nil {
		return reportv1.Server{}, err
	}
	defer routers.close(ctx)
	if err := b.joinShards(ctx, routers[0]); err != nil {
		return reportv1.Server{}, fmt.Errorf("joining the shards through mongos %s: %w", routers[0].host, err)
	}
	return b.describeCluster(ctx, routers[0], sets)
}
