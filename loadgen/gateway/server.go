package gateway

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// Limits of what is taken from others. A connection that is kept alive may be idle for as long as a worker may think.
const (
	mostRequestBytes = 4 << 10
	mostHeaderBytes  = 8 << 10
	mostConnections  = 20_000
	readTimeout      = 10 * time.Second
	idleTimeout      = 2 * time.Hour
)

// Config is what a Server needs.
type Config struct {
	Plan planv1.Plan
	// Target is the database. It is the caller's, who closes it after the Server.
	Target loadgen.Target
	// Secret is what a load generator has to know; empty: nothing.
	Secret string
	// Patience is how long a request waits for a session.
	Patience time.Duration
}

// Server is a gateway at work.
type Server struct {
	config   Config
	poolSize int
	identity string
	token    string
	parts    map[string]*part
	pool     *pool
	usage    meter
	listener net.Listener
	server   *http.Server
	serving  sync.WaitGroup
	// end ends the requests that are under way.
	end context.CancelFunc
}

// part is a part of a step of the plan.
type part struct {
	use loadgen.Use
	mix *workload.Mix
	// share of the pool that is filled for it.
	share int
	// filling is held while it is being made ready.
	filling sync.Mutex
	ready   *opened
}

// Listen serves a plan at an address such as 127.0.0.1:7080 until Close.
func Listen(ctx context.Context, address string, config Config) (*Server, error) {
	if err := check(config.Plan); err != nil {
		return nil, err
	}
	identity, err := Identity(config.Plan)
	if err != nil {
		return nil, err
	}
	parts, err := partsOf(config)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening for load generators at %q: %w", address, err)
	}
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	s := &Server{
		config: config, poolSize: config.Plan.Gateway.PoolSize, identity: identity, token: token(config.Secret, identity),
		parts: parts, listener: listener, end: end,
		usage: meter{process: rand.Text(), began: time.Now()},
	}
	s.pool = newPool(s.poolSize, s.session)
	s.server = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: mostHeaderBytes, BaseContext: func(net.Listener) context.Context { return base },
	}
	s.serving.Go(func() { _ = s.server.Serve(netutil.LimitListener(listener, mostConnections)) })
	return s, nil
}

// partsOf are the parts of all measured steps, by their names.
func partsOf(config Config) (map[string]*part, error) {
	dataset, err := workload.NewDataset(config.Plan)
	if err != nil {
		return nil, err
	}
	parts := map[string]*part{}
	for i, step := range config.Plan.Steps {
		if step.Kind != planv1.StepMeasure {
			continue
		}
		mixes, err := workload.CompileParts(dataset, i)
		if err != nil {
			return nil, err
		}
		for place, declared := range step.Parts() {
			parts[declared.Name] = &part{
				mix: mixes[place], share: max(1, config.Plan.Gateway.PoolSize/len(mixes)),
				use: loadgen.Use{
					Database: config.Plan.Database, Collections: config.Plan.Collections, Step: declared,
					Client: config.Plan.Client,
				},
			}
		}
	}
	return parts, nil
}

// Address is where it listens, as host:port.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close ends it at once, and the requests that are under way.
func (s *Server) Close() error {
	s.end()
	err := s.server.Close()
	s.serving.Wait()
	s.pool.close()
	return err
}

// session opens one of the pool.
func (s *Server) session(ctx context.Context, name string) (loadgen.Session, error) {
	return s.config.Target.Session(ctx, s.parts[name].use)
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+ReadyPath, func(answer http.ResponseWriter, _ *http.Request) {
		answer.WriteHeader(http.StatusNoContent)
	})
	mux.Handle("POST "+openPath, s.known(answering(s.open)))
	mux.Handle("POST "+executePath, s.known(answering(s.execute)))
	mux.Handle("GET "+usagePath, s.known(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		write(answer, s.usage.read(s.poolSize))
	})))
	return mux
}

// known lets only those in that know the secret, which the token shows. How long it takes does not tell how much of it
// they know.
func (s *Server) known(next http.Handler) http.Handler {
	wanted := []byte("Bearer " + s.token)
	return http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		shown := []byte(request.Header.Get("Authorization"))
		if s.token != "" && subtle.ConstantTimeCompare(shown, wanted) != 1 {
			http.Error(answer, "the token is missing, or that of another gateway", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(answer, request)
	})
}

// refusal is an error that is the asker's own.
type refusal struct{ error }

// answering decodes what is asked for, and encodes the answer to it.
func answering[Q, A any](answer func(context.Context, Q) (A, error)) http.Handler {
	return http.HandlerFunc(func(to http.ResponseWriter, request *http.Request) {
		var asked Q
		body := json.NewDecoder(http.MaxBytesReader(to, request.Body, mostRequestBytes))
		body.DisallowUnknownFields()
		if err := body.Decode(&asked); err != nil {
			http.Error(to, "reading the request: "+err.Error(), http.StatusBadRequest)
			return
		}
		found, err := answer(request.Context(), asked)
		if own, is := errors.AsType[refusal](err); is {
			http.Error(to, own.Error(), http.StatusBadRequest)
			return
		}
		if err != nil {
			http.Error(to, err.Error(), http.StatusServiceUnavailable)
			return
		}
		write(to, found)
	})
}

func write(to http.ResponseWriter, answer any) {
	to.Header().Set("Content-Type", "application/json")
	// What cannot be written has nobody who reads it.
	_ = json.NewEncoder(to).Encode(answer)
}

// part finds the one that is asked for.
func (s *Server) part(name string) (*part, error) {
	found := s.parts[name]
	if found == nil {
		return nil, refusal{fmt.Errorf("the plan of the gateway has no step %q", name)}
	}
	return found, nil
}

// open makes ready for a part, so that the first requests do not wait for connections.
func (s *Server) open(ctx context.Context, asked opening) (opened, error) {
	if asked.Plan != s.identity {
		return opened{}, refusal{errors.New("the gateway follows another plan: start it with the run that is measured")}
	}
	of, err := s.part(asked.Part)
	if err != nil {
		return opened{}, err
	}
	of.filling.Lock()
	defer of.filling.Unlock()
	if of.ready != nil {
		return *of.ready, nil
	}
	if err := s.fill(ctx, asked.Part, of); err != nil {
		return opened{}, fmt.Errorf("connecting the gateway to the database: %w", err)
	}
	h, _, err := s.pool.take(ctx, asked.Part, s.config.Patience)
	if err != nil {
		return opened{}, err
	}
	defer s.pool.give(asked.Part, h)
	of.ready = &opened{Client: h.session.Client(), PoolSize: s.poolSize}
	if telling, able := h.session.(loadgen.Telling); able {
		of.ready.Sent, _ = telling.Sent()
	}
	return *of.ready, nil
}

// fill opens a part's share of the sessions, and the connections that they share if they do.
func (s *Server) fill(ctx context.Context, name string, of *part) error {
	if err := s.pool.fill(ctx, name, of.share, s.config.Patience); err != nil {
		return err
	}
	if filler, able := s.config.Target.(loadgen.Filler); able && of.use.Client != benchv1alpha1.ClientWire {
		return filler.Fill(ctx, of.use, of.share)
	}
	return nil
}

// classBusy is the class of requests for which no session was free.
const classBusy = "overload"

// execute carries out the operations of a request, one after the other, until one fails.
func (s *Server) execute(ctx context.Context, asked execution) (executed, error) {
	of, err := s.part(asked.Part)
	if err == nil {
		if wrong := asked.check(); wrong != nil {
			err = refusal{wrong}
		}
	}
	if err != nil {
		return executed{}, err
	}
	began := time.Now()
	h, waited, err := s.pool.take(ctx, asked.Part, s.config.Patience)
	if errors.Is(err, errBusy) {
		s.usage.add(time.Since(began), waited, 0)
		return executed{Class: classBusy, Error: err.Error()}, nil
	}
	if err != nil {
		return executed{Class: s.config.Target.Classify(err), Error: err.Error()}, nil
	}
	defer s.pool.give(asked.Part, h)
	found := s.carryOut(ctx, of.mix, h, asked)
	s.usage.add(time.Since(began), waited, time.Duration(found.DatabaseNanos))
	return found, nil
}

func (s *Server) carryOut(ctx context.Context, mix *workload.Mix, h *held, asked execution) (found executed) {
	var all loadgen.Reply
	var database time.Duration
	mix.Draw(asked.Number, &h.request)
	chosen := h.request.Operation
	for place := range asked.Operations {
		if asked.Operations > 1 {
			mix.Sample(chosen, asked.drawn(place), &h.request)
		}
		var reply loadgen.Reply
		began := time.Now()
		err := h.session.Execute(ctx, &h.request, &reply)
		database += time.Since(began)
		h.session.Settle(ctx)
		all.Add(reply)
		found.Cursor = found.Cursor || !reply.First.IsZero()
		if err != nil {
			found.Class, found.Error = s.config.Target.Classify(err), err.Error()
			break
		}
	}
	found.Documents, found.Inserted, found.Matched = all.Documents, all.Inserted, all.Matched
	found.Modified, found.Deleted, found.Retries = all.Modified, all.Deleted, all.Retries
	found.DatabaseNanos = int64(database)
	return found
}
