package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

const (
	// lookTimeout bounds a look at what a gateway uses.
	lookTimeout = 3 * time.Second
	// grace is what a request has beside the times that the gateway itself bounds.
	grace = 10 * time.Second
	// mostAnswerBytes is more than any answer has.
	mostAnswerBytes = 64 << 10

	classNetwork = "network"
	classServer  = "server"
)

// Client is the way through one gateway or several. It is made with Dial.
type Client struct {
	identity   string
	token      string
	perRequest int
	timeout    time.Duration
	gateways   []*url.URL
	// next counts the sessions, which the gateways have in turn.
	next atomic.Int64

	bytesIn, bytesOut atomic.Int64
}

// Options are how requests are sent.
type Options struct {
	// Gateways are their addresses, such as http://gateway:7080.
	Gateways []string
	// Secret that the gateways were started with, too; empty: they need none.
	Secret string
	// Offset is how many of the gateways the first session passes over, so that several load generators with few workers
	// each have them all.
	Offset int
	// OperationTimeout is that of an operation at the gateway, and how long it waits for its pool.
	OperationTimeout time.Duration
}

// Dial makes sure that a plan goes through gateways, and that they answer.
func Dial(ctx context.Context, plan planv1.Plan, options Options) (*Client, error) {
	if err := check(plan); err != nil {
		return nil, err
	}
	identity, err := Identity(plan)
	if err != nil {
		return nil, err
	}
	c := &Client{
		identity: identity, token: token(options.Secret, identity), perRequest: plan.Gateway.OperationsPerRequest,
		timeout: options.OperationTimeout*time.Duration(plan.Gateway.OperationsPerRequest+1) + grace,
	}
	c.next.Store(int64(options.Offset))
	for _, address := range options.Gateways {
		parsed, err := url.Parse(address)
		if err != nil || parsed.Scheme != "http" || parsed.Host == "" || strings.Trim(parsed.Path, "/") != "" {
			return nil, fmt.Errorf("gateway %q: give http://HOST:PORT", address)
		}
		c.gateways = append(c.gateways, parsed)
	}
	for place := range c.gateways {
		if _, err := c.look(ctx, place); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// PerRequest is how many operations of the database each request comes to.
func (c *Client) PerRequest() int { return c.perRequest }

// Traffic is what went over all connections to the gateways.
func (c *Client) Traffic() reportv1.Traffic {
	return reportv1.Traffic{BytesIn: c.bytesIn.Load(), BytesOut: c.bytesOut.Load()}
}

// transport has one connection, which is kept alive.
func (c *Client) transport() *http.Transport {
	return &http.Transport{
		MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1, DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{Timeout: grace}).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &counted{Conn: conn, by: c}, nil
		},
	}
}

// counted counts the bytes of a connection.
type counted struct {
	net.Conn
	by *Client
}

func (c *counted) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	c.by.bytesIn.Add(int64(n))
	return n, err
}

func (c *counted) Write(from []byte) (int, error) {
	n, err := c.Conn.Write(from)
	c.by.bytesOut.Add(int64(n))
	return n, err
}

// failure is an error of a request, with its class.
type failure struct {
	class string
	error
}

func (f failure) Unwrap() error { return f.error }

// Classify names the class of an error of a session.
func (*Client) Classify(err error) string {
	if found, is := errors.AsType[failure](err); is {
		return found.class
	}
	return classServer
}

// Session connects a worker to one of the gateways, and has that make ready for the part of the step.
func (c *Client) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	place := int((c.next.Add(1) - 1) % int64(len(c.gateways)))
	s := &session{
		to: c, part: use.Step.Name, gateway: c.gateways[place],
		client: &http.Client{Transport: c.transport(), Timeout: c.timeout},
	}
	if err := s.ask(ctx, openPath, opening{Plan: c.identity, Part: s.part}, &s.opened); err != nil {
		s.Close()
		return nil, fmt.Errorf("gateway %s: %w", s.gateway.Host, err)
	}
	return s, nil
}

// Look begins to watch what the gateways use.
func (c *Client) Look(ctx context.Context) func(context.Context) []reportv1.Gateway {
	before := c.lookAll(ctx)
	return func(ctx context.Context) []reportv1.Gateway {
		seen := make([]reportv1.Gateway, len(c.gateways))
		for place, after := range c.lookAll(ctx) {
			seen[place] = since(c.gateways[place].Host, c.perRequest, before[place], after)
		}
		return seen
	}
}

// lookAll asks all gateways at the same time; nil stands for one that does not answer.
func (c *Client) lookAll(ctx context.Context) []*usage {
	found := make([]*usage, len(c.gateways))
	var asking sync.WaitGroup
	for place := range c.gateways {
		asking.Go(func() {
			if used, err := c.look(ctx, place); err == nil {
				found[place] = &used
			}
		})
	}
	asking.Wait()
	return found
}

func (c *Client) look(ctx context.Context, place int) (used usage, err error) {
	s := &session{
		to: c, gateway: c.gateways[place], client: &http.Client{Transport: c.transport(), Timeout: lookTimeout},
	}
	defer s.Close()
	if err := s.ask(ctx, usagePath, nil, &used); err != nil {
		return usage{}, fmt.Errorf("gateway %s: %w", s.gateway.Host, err)
	}
	return used, nil
}

// session is a worker's way through a gateway.
type session struct {
	to      *Client
	gateway *url.URL
	part    string
	opened  opened
	client  *http.Client
}

var (
	_ loadgen.Through = (*Client)(nil)
	_ loadgen.Telling = (*session)(nil)
)

// ask sends a request, a GET without content, and reads the answer to it.
func (s *session) ask(ctx context.Context, path string, content, answer any) error {
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if content != nil {
		encoded, err := json.Marshal(content)
		if err != nil {
			return fmt.Errorf("encoding a request: %w", err)
		}
		method, body = http.MethodPost, bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.gateway.JoinPath(path).String(), body)
	if err != nil {
		return fmt.Errorf("making a request: %w", err)
	}
	if s.to.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.to.token)
	}
	reply, err := s.client.Do(request)
	if err != nil {
		return broken(err)
	}
	defer func() { _ = reply.Body.Close() }()
	read, err := io.ReadAll(io.LimitReader(reply.Body, mostAnswerBytes))
	switch {
	case err != nil:
		return broken(err)
	case reply.StatusCode != http.StatusOK:
		return failure{classServer, fmt.Errorf("%s: %s", reply.Status, bytes.TrimSpace(read))}
	}
	if err := json.Unmarshal(read, answer); err != nil {
		return failure{classServer, fmt.Errorf("it answers what a gateway of this release does not: %w", err)}
	}
	return nil
}

// broken is the failure of a request that has no answer.
func broken(err error) error {
	if wrapped, is := errors.AsType[*url.Error](err); is {
		err = wrapped.Err
	}
	if slow, is := errors.AsType[net.Error](err); is && slow.Timeout() {
		return failure{reportv1.ClassTimeout, err}
	}
	return failure{classNetwork, err}
}

// Client names what is sent by.
func (s *session) Client() string { return "gateway by " + s.opened.Client }

// Sent says how the gateway was asked, and what it sends with each operation.
func (s *session) Sent() (terms string, poolSize int64) {
	terms = fmt.Sprintf("%s a request, %s in each of %s", present.Plural(int64(s.to.perRequest), "operation"),
		present.Plural(int64(s.opened.PoolSize), "session"), present.Plural(int64(len(s.to.gateways)), "gateway"))
	if s.opened.Sent != "" {
		terms += "; " + s.opened.Sent
	}
	return terms, 0
}

// Execute sends a request. Its answer has all documents at once, so that the first comes with the last.
func (s *session) Execute(ctx context.Context, request *workload.Request, reply *loadgen.Reply) error {
	var found executed
	err := s.ask(ctx, executePath, execution{
		Part: s.part, Number: request.Number, Operations: s.to.perRequest,
	}, &found)
	if err != nil {
		return err
	}
	*reply = loadgen.Reply{
		Documents: found.Documents, Inserted: found.Inserted, Matched: found.Matched, Modified: found.Modified,
		Deleted: found.Deleted, Retries: found.Retries, Database: time.Duration(found.DatabaseNanos),
	}
	if found.Cursor {
		reply.First = time.Now()
	}
	if found.Class != "" {
		return failure{found.Class, errors.New(found.Error)}
	}
	return nil
}

// Settle has nothing to do: the gateway did it.
func (*session) Settle(context.Context) {}

// errLoads is what a session returns that is used to load.
var errLoads = errors.New("nothing is loaded through a gateway")

// Encode makes no batch.
func (*session) Encode(string, loadgen.Documents, int64, int64) int64 { return 1 }

// Send refuses to load.
func (*session) Send(context.Context) error { return errLoads }

// Acknowledge refuses to load.
func (*session) Acknowledge(context.Context) error { return errLoads }

// Pipeline is that of nothing.
func (*session) Pipeline() int { return 1 }

// Close ends the connection.
func (s *session) Close() { s.client.CloseIdleConnections() }
