package topology

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/describe"
)

// routerTimeout bounds one command to a mongos: it waits by itself for shards, up to 20 s for one that is not there.
const routerTimeout = time.Minute

// connectRouters waits until every mongos routes: until it says what it is and has read the shards from the config
// servers.
//
// It logs in as the administrator, who was made on the config servers and so is the whole cluster's: that is how people
// log in to a mongos, and it needs nothing that only MongoDB's own processes use.
func (b *builder) connectRouters(ctx context.Context) (members, error) {
	d := dialer{with: "the administrator's password", caFile: b.secrets.CAFile, timeout: routerTimeout, monitor: b.monitor}
	if !b.topology.WithoutUsers {
		d.credential = &options.Credential{
			AuthMechanism: "SCRAM-SHA-256",
			AuthSource:    "admin",
			Username:      b.secrets.Admin.Username,
			Password:      b.secrets.Admin.Password,
		}
	}
	routers := make(members, len(b.topology.Mongos))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, host := range b.topology.Mongos {
		group.Go(func() (err error) {
			routers[i], err = d.open(host)
			if err != nil {
				return err
			}
			if err := waitForPort(groupCtx, host); err != nil {
				return err
			}
			return poll(groupCtx, func() error { return routers[i].routes(groupCtx) })
		})
	}
	if err := group.Wait(); err != nil {
		routers.close(ctx)
		return nil, err
	}
	return routers, nil
}

// routes returns an error while a server is no mongos that knows its shards.
func (m member) routes(ctx context.Context) error {
	hello, err := m.admin(ctx, bson.D{{Key: "isMaster", Value: 1}})
	if err != nil {
		return fmt.Errorf("mongos %s does not answer: %w", m.host, err)
	}
	if message, _ := hello.Lookup("msg").StringValueOK(); message != "isdbgrid" {
		return final{fmt.Errorf("server %s is no mongos", m.host)}
	}
	if _, err := m.admin(ctx, bson.D{{Key: "listShards", Value: 1}}); err != nil {
		return fmt.Errorf("mongos %s does not know its shards: %w", m.host, err)
	}
	return nil
}

// describeCluster says what was built behind mongos. A shard's member tells what all are like.
func (b *builder) describeCluster(ctx context.Context, router member, all sets) (reportv1.Server, error) {
	for _, s := range all {
		if s.Role == planv1.RoleConfig {
			continue
		}
		server, err := describe.Cluster(ctx, router.client, s.primary.client)
		if err != nil {
			return reportv1.Server{}, fmt.Errorf("asking mongos %s what the cluster is: %w", router.host, err)
		}
		return server, nil
	}
	return reportv1.Server{}, fmt.Errorf("the cluster of mongos %s is declared without shards", router.host)
}
