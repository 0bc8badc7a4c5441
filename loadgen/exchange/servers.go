package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// Servers are those of a deployment that requests go to. It is a loadgen.Pinger.
type Servers struct {
	// Find connects to all servers of the deployment, each alone.
	Find func(ctx context.Context) ([]observe.Server, error)
}

// finding bounds the search for the servers.
const finding = 10 * time.Second

// Ping asks all servers at a time. Those that do not answer are left out, and why is in the error.
func (s Servers) Ping(ctx context.Context) ([]reportv1.Ping, error) {
	ctx, cancel := context.WithTimeout(ctx, finding+Limit)
	defer cancel()
	servers, err := s.Find(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, server := range servers {
			server.Close()
		}
	}()
	asked := asked(servers)
	pings, failed := make([]reportv1.Ping, len(asked)), make([]error, len(asked))
	var asking sync.WaitGroup
	for i, server := range asked {
		asking.Go(func() { pings[i], failed[i] = ping(ctx, server) })
	}
	asking.Wait()
	pings = slices.DeleteFunc(pings, func(ping reportv1.Ping) bool { return ping.Exchanges == 0 })
	return pings, errors.Join(failed...)
}

// asked are the servers that a load talks to: the routers where there are any, and else those that hold data. A server
// without a role did not answer.
func asked(servers []observe.Server) []observe.Server {
	routed := slices.ContainsFunc(servers, func(s observe.Server) bool { return s.Role() == observe.RoleMongos })
	return slices.DeleteFunc(slices.Clone(servers), func(s observe.Server) bool {
		if routed {
			return s.Role() != observe.RoleMongos
		}
		return s.Role() == "" || s.Role() == observe.RoleConfig
	})
}

func ping(ctx context.Context, server observe.Server) (reportv1.Ping, error) {
	ask, grain := question(server)
	if ask == nil {
		return reportv1.Ping{}, nil
	}
	all, err := Repeat(ctx, ask)
	if err != nil {
		return reportv1.Ping{}, fmt.Errorf("asking %s for the time: %w", server.Name(), err)
	}
	if len(all) == 0 {
		return reportv1.Ping{}, nil
	}
	return Summarise(server.Name(), grain, all), nil
}

// hello is what every server of MongoDB's protocol answers at once, with the time by its clock in milliseconds.
var hello = func() bson.Raw {
	command, err := bson.Marshal(bson.D{{Key: "isMaster", Value: 1}})
	if err != nil {
		panic(err) // It is a constant.
	}
	return command
}()

const (
	// statement is what a server of the other protocol answers at once, with the time in microseconds.
	statement = "SELECT 'time', CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)"
	timeName  = "time"
)

// question is how a server is asked for the time, and the unit in which it tells it; nil for one that cannot be.
func question(server observe.Server) (ask func(context.Context) (time.Time, error), grain time.Duration) {
	switch server := server.(type) {
	case observe.Commander:
		return func(ctx context.Context) (time.Time, error) {
			reply, err := server.Ask(ctx, "admin", hello)
			told, known := reply.Lookup("localTime").TimeOK()
			if err != nil || !known {
				return time.Time{}, err
			}
			return told, nil
		}, time.Millisecond
	case observe.Lister:
		return func(ctx context.Context) (time.Time, error) {
			row, err := server.List(ctx, statement)
			micros, bad := strconv.ParseInt(row[timeName], 10, 64)
			if err != nil || bad != nil {
				return time.Time{}, err
			}
			return time.UnixMicro(micros), nil
		}, time.Microsecond
	default:
		return nil, 0
	}
}
