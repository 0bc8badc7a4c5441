package topology

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"golang.org/x/sync/errgroup"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

const (
	// pollInterval is how often something that is awaited is looked at: short beside the 0.7 s that a set needs.
	pollInterval = 100 * time.Millisecond
	// callTimeout bounds one command to one member; none of them takes more than a second or two.
	callTimeout = 20 * time.Second
)

// member is one server with a direct connection to it.
type member struct {
	host   string
	client *mongo.Client
}

type members []member

// dialer says how servers are connected to.
type dialer struct {
	// credential is nil where there is no authentication.
	credential *options.Credential
	// with says for people what members are logged in to with.
	with string
	// greet is tried until it succeeds or fails for good.
	greet func(member, context.Context) error
	// caFile is empty where there is no TLS.
	caFile string
	// timeout bounds one command.
	timeout time.Duration
	// monitor, which may be nil, sees every command.
	monitor *event.CommandMonitor
}

// connect waits until every server answers and returns connections to all of them. It waits first for the port, whose
// absence has other causes (the pod, its name) than a refused login.
func (d dialer) connect(ctx context.Context, hosts []string) (members, error) {
	all := make(members, len(hosts))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, host := range hosts {
		group.Go(func() (err error) {
			if all[i], err = d.open(host); err != nil {
				return err
			}
			if err := waitForPort(groupCtx, host); err != nil {
				return err
			}
			err = poll(groupCtx, func() error { return d.greet(all[i], groupCtx) })
			if err != nil && d.with != "" {
				return fmt.Errorf("logging in to member %s with %s: %w", host, d.with, err)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		all.close(ctx)
		return nil, err
	}
	return all, nil
}

// login tries to log in. A member that is just being stopped will be back, and a login that it refuses will be refused
// again.
func (m member) login(ctx context.Context) error {
	_, err := m.admin(ctx, bson.D{{Key: "ping", Value: 1}})
	if err != nil && errorclass.Of(err) == errorclass.Authentication {
		return final{err}
	}
	return err
}

// open makes a client of one server, which connects with its first command.
func (d dialer) open(host string) (member, error) {
	secured, err := connection.TLSConfig(d.caFile)
	if err != nil {
		return member{}, err
	}
	o := options.Client().
		SetHosts([]string{host}).
		SetDirect(true).
		SetAppName("mongobench-topology").
		SetTimeout(d.timeout).
		SetServerSelectionTimeout(min(d.timeout, callTimeout)).
		SetTLSConfig(secured).
		SetMonitor(d.monitor)
	if d.credential != nil {
		o.SetAuth(*d.credential)
	}
	client, err := mongo.Connect(o)
	if err != nil {
		return member{}, fmt.Errorf("connecting to member %s: %w", host, err)
	}
	return member{host: host, client: client}, nil
}

func waitForPort(ctx context.Context, host string) error {
	dialer := net.Dialer{Timeout: time.Second}
	return poll(ctx, func() error {
		conn, err := dialer.DialContext(ctx, "tcp", host)
		if err != nil {
			return fmt.Errorf("member %s does not answer: %w", host, err)
		}
		return conn.Close()
	})
}

// admin runs a command on the admin database.
func (m member) admin(ctx context.Context, command bson.D) (bson.Raw, error) {
	return m.client.Database("admin").RunCommand(ctx, command).Raw()
}

func (all members) close(ctx context.Context) {
	// Connections are closed also when there is no more time; one that cannot be ends with the process.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	for _, m := range all {
		if m.client != nil {
			_ = m.client.Disconnect(ctx)
		}
	}
}

// final is an error that trying again does not mend.
type final struct {
	error
}

func (f final) Unwrap() error {
	return f.error
}

// poll calls try until it succeeds or fails for good, or until the context ends; then it returns what try saw last.
func poll(ctx context.Context, try func() error) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	var last error
	for {
		err := try()
		if err == nil || errors.As(err, new(final)) {
			return err
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no more time: %w", last)
		case <-ticker.C:
		}
	}
}
