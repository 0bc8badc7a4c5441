package topology

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"golang.org/x/sync/errgroup"
)

const (
	// pollInterval is how often something that is awaited is looked at: short beside the 0.7 s that a set needs.
	pollInterval = 100 * time.Millisecond
	// callTimeout bounds one command to one member; none of them takes more than a second or two.
	callTimeout = 20 * time.Second
)

// member is one mongod with a direct connection to it as __system.
type member struct {
	host   string
	client *mongo.Client
}

type members []member

// connect waits until every member answers and returns connections to all of them.
func connect(ctx context.Context, hosts []string, keyfile string) (members, error) {
	all := make(members, len(hosts))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, host := range hosts {
		group.Go(func() error {
			m, err := connectMember(groupCtx, host, keyfile)
			all[i] = m
			return err
		})
	}
	if err := group.Wait(); err != nil {
		all.close(ctx)
		return nil, err
	}
	return all, nil
}

// connectMember waits first for the port, whose absence has other causes (the pod, its name) than a refused login.
func connectMember(ctx context.Context, host, keyfile string) (member, error) {
	if err := waitForPort(ctx, host); err != nil {
		return member{}, err
	}
	client, err := mongo.Connect(options.Client().
		SetHosts([]string{host}).
		SetDirect(true).
		SetAppName("mongobench-topology").
		SetTimeout(callTimeout).
		SetServerSelectionTimeout(callTimeout).
		SetAuth(options.Credential{
			AuthMechanism: "SCRAM-SHA-256",
			AuthSource:    "local",
			Username:      "__system",
			Password:      strings.Join(strings.Fields(keyfile), ""),
		}))
	if err != nil {
		return member{}, fmt.Errorf("connecting to member %s: %w", host, err)
	}
	m := member{host: host, client: client}
	if _, err := m.admin(ctx, bson.D{{Key: "ping", Value: 1}}); err != nil {
		members{m}.close(ctx)
		return member{}, fmt.Errorf("logging in to member %s with the keyfile: %w", host, err)
	}
	return m, nil
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

// poll calls try until it succeeds, or until the context ends; then it returns what try saw last.
func poll(ctx context.Context, try func() error) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	var last error
	for {
		err := try()
		if err == nil {
			return nil
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
