package mongo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/act"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/describe"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/drain"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/driversession"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/members"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/sharding"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/wiresession"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

var (
	_ loadgen.Estimator     = (*Target)(nil)
	_ loadgen.Explainer     = (*Target)(nil)
	_ loadgen.Answerer      = (*Target)(nil)
	_ loadgen.SearchIndexer = (*Target)(nil)
	_ loadgen.Remover       = (*Target)(nil)
)

// Database is what targets of this driver are called in messages.
const Database = "MongoDB"

// Driver speaks to MongoDB, and to what speaks its protocol.
var Driver = driver.Driver{
	Database: Database,
	Takes:    func(driver.Config) bool { return true },
	Open: func(ctx context.Context, config driver.Config) (driver.Target, error) {
		return Open(ctx, config)
	},
}

// Configs are what each connection string is connected to by.
func Configs(config driver.Config) []Config {
	all := make([]Config, len(config.URIs))
	for i, uri := range config.URIs {
		all[i] = config
		all[i].URIs = []string{uri}
	}
	return all
}

// Config says what to connect to, by one connection string.
type Config = driver.Config

// Target is a MongoDB deployment.
type Target struct {
	claims
	collections
	beside
	asking

	client *mongo.Client
	// options are those of the client, for connections of their own beside it.
	options *options.ClientOptions
	// terms are those of the connection string.
	terms   command.Terms
	traffic *connection.Traffic
	// byDriver, byWire, byReplay and applications open the sessions.
	byDriver     *driversession.Opener
	byWire       *wiresession.Opener
	byReplay     *wiresession.Opener
	applications applications
	// observer looks at the servers, and action carries out actions.
	observer, action *connection.Login
	// release is the version of the servers, once it was asked for.
	release release
	// explicitWrites is the write concern of the connection string, nil if it has none.
	explicitWrites *planv1.WriteConcern
}

// Open connects to a deployment and makes sure that it answers. Errors hold no credentials.
func Open(ctx context.Context, config Config) (*Target, error) {
	o, err := connection.Options(config)
	if err != nil {
		return nil, err
	}
	target, connections := &Target{options: o, traffic: &connection.Traffic{}}, &drain.Pool{}
	o.SetDialer(target.traffic).SetPoolMonitor(target.traffic.Monitor(connections.Observe))
	if target.terms, target.explicitWrites, err = command.ConnectionTerms(o); err != nil {
		return nil, err
	}
	if target.observer, err = connection.NewLogin(connection.ObserverName, config.ObserverCredentials, o); err != nil {
		return nil, err
	}
	if target.action, err = connection.NewLogin(connection.ActionName, config.ActionCredentials, o); err != nil {
		return nil, err
	}
	target.client, err = mongo.Connect(o)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", errorclass.WithoutSecrets(err))
	}
	target.claims.client, target.collections.client = target.client, target.client
	target.asking = asking{target.client, &target.terms}
	target.observer.Main, target.action.Main = target.client, target.client
	target.byWire = wiresession.NewOpener(target.client, o, &target.terms)
	target.opener = target.byWire
	target.byReplay = wiresession.NewOpener(target.client, o, &target.terms).ToOneRouter()
	target.byDriver = &driversession.Opener{
		Client: target.client, Pool: connections, Terms: &target.terms, Timeout: *o.Timeout, Connect: target.byWire,
	}
	target.applications = applications{
		config: config, traffic: target.traffic, terms: &target.terms, connect: target.byWire,
	}
	if err := target.client.Ping(ctx, target.terms.Preference); err != nil {
		_ = target.client.Disconnect(context.WithoutCancel(ctx))
		return nil, unusable(o, err)
	}
	return target, nil
}

// Close ends all connections.
func (t *Target) Close(ctx context.Context) error {
	err := errors.Join(t.observer.Disconnect(ctx), t.action.Disconnect(ctx), t.applications.disconnect(ctx),
		t.client.Disconnect(ctx))
	if err != nil {
		return fmt.Errorf("disconnecting: %w", err)
	}
	return nil
}

// Driver names the driver and its version.
func (t *Target) Driver() string { return driversession.DriverName() }

// Classify names the class of an error.
func (t *Target) Classify(err error) string { return errorclass.Of(err) }

// NeedsDriver says why a step cannot be done by the wire client; nil if it can.
func (t *Target) NeedsDriver(step planv1.Step) error { return t.byWire.NeedsDriver(step) }

// Session opens a handle and makes sure that the server answers it. It sends by the client that the plan says. An
// application's dataset is loaded by the wire client, or by prepared commands where the connection string needs the
// driver: how it came there is not what is measured.
func (t *Target) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	if err := errors.Join(t.release.knows(ctx, t.client, use.Step), t.byWire.CanConnect(use.Step)); err != nil {
		return nil, err
	}
	if use.Step.Replay != nil {
		return t.byReplay.Replay(ctx, use)
	}
	application := use.Client == benchv1alpha1.ClientApplication || use.Client == ""
	if application && use.Step.Kind != planv1.StepLoad {
		opener, err := t.applications.opener(ctx, use.Step)
		if err != nil {
			return nil, err
		}
		return opener.Session(use)
	}
	if application || use.Client == benchv1alpha1.ClientWire {
		needs := t.byWire.NeedsDriver(use.Step)
		if needs == nil {
			return t.byWire.Session(ctx, use)
		}
		if !application {
			return nil, fmt.Errorf("the wire client cannot be used: %w; set the client to Application or Driver", needs)
		}
	}
	if err := t.answers(ctx); err != nil {
		return nil, err
	}
	return t.byDriver.Session(ctx, use)
}

// answers makes sure that a server answers the driver.
func (t *Target) answers(ctx context.Context) error {
	err := t.client.Ping(ctx, t.terms.Preference)
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("asking the server for an answer: %w", errorclass.WithoutSecrets(err))
}

// Fill opens the connections that an application's sessions share, so that the first operations do not wait for them.
func (t *Target) Fill(ctx context.Context, use loadgen.Use, sessions int) error {
	if use.Client != benchv1alpha1.ClientApplication && use.Client != "" || use.Step.Kind == planv1.StepLoad {
		return nil
	}
	opener, err := t.applications.opener(ctx, use.Step)
	if err != nil {
		return err
	}
	return opener.Fill(ctx, use, sessions)
}

// Stream opens a handle by the wire client and makes sure that the server answers it.
func (t *Target) Stream(ctx context.Context, use loadgen.Use) (*wiresession.Stream, error) {
	if err := t.release.knows(ctx, t.client, use.Step); err != nil {
		return nil, err
	}
	return t.byWire.Stream(ctx, use)
}

// Act carries out an action as the user that may. To Reconnect is the load's own doing: what it has open is closed, and
// whoever needs it opens another.
func (t *Target) Act(ctx context.Context, database string, action planv1.Action) (loadgen.Acted, error) {
	if action.Type == benchv1alpha1.ActionReconnect {
		t.traffic.Dialer.CloseAll()
		return loadgen.Acted{}, nil
	}
	return act.Runner{Login: t.action}.Run(ctx, database, action)
}

// Partition ends what is open to a member once it is cut off.
func (t *Target) Partition(ctx context.Context, action planv1.Action, member string, request func() error) error {
	partition := act.Partition{Action: action, Member: member, Open: &t.traffic.Dialer}
	if request == nil {
		return partition.Follow(ctx)
	}
	return partition.Lead(ctx, t.action, request)
}

// Members returns every server of the deployment that holds data or routes to it.
func (t *Target) Members(ctx context.Context) ([]*members.Member, error) {
	return members.Find(ctx, t.observer)
}

// Servers are the members, as they are observed.
func (t *Target) Servers(ctx context.Context) ([]observe.Server, error) {
	return observe.AsServers(t.Members(ctx))
}

// Balancing says whether the balancer moves chunks, or will: whether it is on and has something to do.
func (t *Target) Balancing(ctx context.Context) (bool, error) {
	observer, err := t.observer.Deployment()
	if err != nil {
		return false, err
	}
	return sharding.Balancing(ctx, t.client, observer)
}

// Sizes of the collections, one of each for every shard in the order of their indexes; without shards one of each.
func (t *Target) Sizes(
	ctx context.Context, database string, collections []planv1.Collection,
) ([]reportv1.CollectionSize, error) {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	sizes, err := describe.Sizes(ctx, t.observer, database, collections)
	if err != nil {
		return nil, err
	}
	return sizes, t.countSeries(ctx, database, collections, sizes)
}

// countSeries counts the documents of time-series collections, of which the server tells how many buckets they have.
// All of one are on one shard.
func (t *Target) countSeries(
	ctx context.Context, database string, collections []planv1.Collection, sizes []reportv1.CollectionSize,
) (err error) {
	for _, collection := range collections {
		if collection.TimeSeries == nil {
			continue
		}
		for i := range sizes {
			if sizes[i].Collection != collection.Name || sizes[i].DataBytes == 0 {
				continue
			}
			if sizes[i].Documents, err = t.Estimate(ctx, database, collection.Name); err != nil {
				return fmt.Errorf("counting collection %q: %w", collection.Name, err)
			}
		}
	}
	return nil
}

// Describe returns what the server says of itself, and the write concern that is in force.
func (t *Target) Describe(ctx context.Context) (reportv1.Server, error) {
	server, err := describe.Deployment(ctx, t.observer)
	if err != nil {
		return reportv1.Server{}, errorclass.WithoutSecrets(err)
	}
	server.TLS = connection.TLSName(t.options.TLSConfig != nil)
	if t.explicitWrites != nil {
		server.DefaultWriteConcern = command.DescribeWriteConcern(*t.explicitWrites) + " (connection string)"
		server.Durability = loadgen.ConcernDurability(*t.explicitWrites, server)
	}
	return server, nil
}

// unusable says in one sentence why a deployment cannot be used, and what to look at.
func unusable(o *options.ClientOptions, err error) error {
	hosts := strings.Join(o.Hosts, ",")
	if errorclass.Of(err) == errorclass.Authentication {
		name := ""
		if o.Auth != nil {
			name = o.Auth.Username
		}
		return fmt.Errorf("authentication at %s as user %q failed; check the name, the password and the authSource: %w",
			hosts, name, errorclass.WithoutSecrets(err))
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("no server at %s answered within %s; check the address, that the server runs, the network, "+
		"and TLS: %w", hosts, *o.ServerSelectionTimeout, errorclass.WithoutSecrets(err))
}
