package topology

import (
	"context"
	"fmt"
	"strings"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	mongodriver "github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
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
	// Load may read and write every database, and look at the servers.
	Load Credentials
}

// Build brings the members into the declared topology, makes the users, and returns what the servers said of
// themselves. It may be repeated. The context's deadline bounds all of it; an error names the member and the cause.
func Build(ctx context.Context, t planv1.Topology, secrets Secrets) (reportv1.Server, error) {
	members, err := connect(ctx, t.Members, secrets.Keyfile)
	if err != nil {
		return reportv1.Server{}, err
	}
	defer members.close(ctx)

	writable := members[0]
	if t.Kind == planv1.TopologyReplicaSet {
		if writable, err = formReplicaSet(ctx, t.ReplicaSet, members); err != nil {
			return reportv1.Server{}, fmt.Errorf("forming replica set %s: %w", t.ReplicaSet, err)
		}
	}
	if err := makeUsers(ctx, writable, secrets); err != nil {
		return reportv1.Server{}, err
	}
	server, err := mongodriver.Fingerprint(ctx, writable.client)
	if err != nil {
		return reportv1.Server{}, fmt.Errorf("asking %s what it is: %w", writable.host, err)
	}
	return server, nil
}

// Inspect returns what the servers of a deployment that exists already said of themselves. It changes nothing.
func Inspect(ctx context.Context, uri string) (server reportv1.Server, err error) {
	target, err := mongodriver.Open(ctx, mongodriver.Config{URI: strings.TrimSpace(uri)})
	if err != nil {
		return reportv1.Server{}, fmt.Errorf("reaching the external target: %w", err)
	}
	defer func() {
		if closed := target.Close(ctx); err == nil {
			err = closed
		}
	}()
	return target.Describe(ctx)
}
