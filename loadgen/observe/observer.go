package observe

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Defaults of an Observer.
const (
	DefaultInterval     = time.Second
	DefaultSlowInterval = 10 * time.Second
	// DefaultLimit of samples of one server: an hour of them at first.
	DefaultLimit = 3601
)

// ErrNotAllowed is what Ask returns when the user may not send the command, or not log in: asking again is in vain.
var ErrNotAllowed = errors.New("the user may not look at this server")

// ErrRefused is what List returns when the server understood and refused: asking the same again is in vain.
var ErrRefused = errors.New("the server refuses this question")

// Roles of a server that are asked other questions than the rest.
const (
	RoleStandalone = "standalone"
	RolePrimary    = "primary"
	RoleSecondary  = "secondary"
	RoleMongos     = "mongos"
	RoleConfig     = "config"
)

// Server is one server that is observed: a Commander or a Lister. It is used by one goroutine at a time.
type Server interface {
	// Name is its host and port, as its replica set knows it.
	Name() string
	// Role is one of the constants above.
	Role() string
	// Close gives its connection back.
	Close()
}

// Target is a deployment whose servers can be looked at one by one. Those that are too old for it are none.
type Target interface {
	Servers(ctx context.Context) ([]Server, error)
}

// AsServers takes servers of one type for what they are here.
func AsServers[S Server](found []S, err error) ([]Server, error) {
	servers := make([]Server, len(found))
	for i, server := range found {
		servers[i] = server
	}
	return servers, err
}

// Commander is a MongoDB server.
type Commander interface {
	Server
	// Ask sends a command to this server and no other, and returns its reply. It returns when the context ends.
	Ask(ctx context.Context, database string, command bson.Raw) (bson.Raw, error)
}

// Lister is a MariaDB or MySQL server.
type Lister interface {
	Server
	// List sends a statement and returns its rows, each a name and a value; a row whose value is NULL is left out. It
	// returns when the context ends.
	List(ctx context.Context, statement string) (map[string]string, error)
}

// Observer samples the servers of a deployment. It is a loadgen.Observer.
type Observer struct {
	// Servers finds what is to be observed.
	Servers func(ctx context.Context) ([]Server, error)
	// Database whose sizes and chunks are observed.
	Database string
	// Interval between samples, and SlowInterval between those of sizes and chunks. Zero means the default.
	Interval, SlowInterval time.Duration
	// Limit of the samples that are kept of one server, an odd number; beyond, the interval doubles. Zero means the
	// default.
	Limit int
	// DiagnosticBytes is the most that the diagnostic data of all servers together takes. Zero means the default, and
	// NoDiagnostics that none is kept.
	DiagnosticBytes int
	Log             *slog.Logger

	// keeping is from when on diagnostic data is kept; nil: not now.
	keeping atomic.Pointer[time.Time]

	cancel  context.CancelFunc
	running sync.WaitGroup
	start   time.Time
	// mutex guards the list of watches for Latest.
	mutex   sync.Mutex
	watches []*watch
}

// Start begins to observe and returns at once.
func (o *Observer) Start(ctx context.Context) {
	o.Interval = cmp.Or(o.Interval, DefaultInterval)
	o.SlowInterval = cmp.Or(o.SlowInterval, DefaultSlowInterval)
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	ctx, o.cancel = context.WithCancel(ctx)
	o.running.Go(func() { o.run(ctx) })
}

// Stop ends the observation and returns what was seen of each server, those left out of which nothing was.
func (o *Observer) Stop() []reportv1.Member {
	o.cancel()
	o.running.Wait()
	observed := make(map[string]*recording, len(o.watches))
	for _, w := range o.watches {
		observed[w.server.Name()] = &w.recording
	}
	spreadLags(observed)
	var members []reportv1.Member
	for _, w := range o.watches {
		series := w.recording.series()
		if len(series) == 0 {
			continue
		}
		members = append(members, reportv1.Member{
			Name: w.server.Name(), Role: w.server.Role(),
			Start: o.start, IntervalMillis: int(w.recording.interval.Milliseconds()),
			Series: series, CostMicros: w.costMicros(), Missed: w.recording.missed, Diagnostics: w.kept.kept(),
		})
	}
	return members
}

func names(servers []Server) []string {
	all := make([]string, len(servers))
	for i, server := range servers {
		all[i] = server.Name()
	}
	return all
}

// questions are those that a server of its kind is asked; seen are the names of all servers.
func (o *Observer) questions(server Server, seen []string) questions {
	switch server := server.(type) {
	case Lister:
		return &listing{server: server, database: o.Database, slow: map[string]int64{}, refused: map[string]bool{}}
	case Commander:
		return &commands{server: server, database: o.Database, seen: seen, local: isLocal(server.Name())}
	default:
		return nothing{}
	}
}

// run begins to observe every server, each in a goroutine of its own, so that none holds up another.
func (o *Observer) run(ctx context.Context) {
	servers, err := o.Servers(ctx)
	if err != nil && ctx.Err() == nil {
		o.Log.Warn("The servers are not observed", "error", err)
	}
	o.start = time.Now()
	seen := names(servers)
	watches := make([]*watch, len(servers))
	for i, server := range servers {
		watches[i] = &watch{
			server: server, asked: o.questions(server, seen), start: o.start, log: o.Log.With("server", server.Name()),
			slowInterval: o.SlowInterval,
			recording:    recording{interval: o.Interval, limit: o.Limit},
		}
	}
	o.diagnose(watches)
	for _, w := range watches {
		o.mutex.Lock()
		o.watches = append(o.watches, w)
		o.mutex.Unlock()
		o.running.Go(func() {
			defer w.server.Close()
			w.run(ctx)
		})
	}
}
