package link

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
)

const (
	// introducing bounds how long a machine may take from its first byte until it wants its place, and questions how
	// often it may ask for the time until then.
	introducing = 30 * time.Second
	questions   = 1000
	// strangers is how many may introduce themselves at a time.
	strangers = 64
	// handingIn is how long the machines may take to hand in what they have, once they were told to stop: a load
	// generator gives up sooner.
	handingIn = 30 * time.Second
	// acceptPause lies after a connection that could not be taken.
	acceptPause = 100 * time.Millisecond
	// untold is how many messages may wait to be sent to a machine that takes none.
	untold = 256
)

// Host is the machine that the load generators of a run join.
type Host struct {
	Plan planv1.Plan
	// Encoded is the plan as the pods get it.
	Encoded []byte
	// RunUID and RunName are what the database is claimed by, and SharesDatabase is as an engine has it.
	RunUID, RunName string
	SharesDatabase  bool
	// Version of the load generator, which has to be the same everywhere: another one may send other operations.
	Version string
	// Patience is how long machines are awaited.
	Patience time.Duration
	// Progress is told how far all of them have come.
	Progress func(reportv1.Progress)
	Log      *slog.Logger

	listener net.Listener
	token    Token

	meeting  *meeting
	guests   map[int]*guest
	arrivals chan *guest
	events   chan event
	serving  sync.WaitGroup
}

// guest is a machine at its place, or one that wants a place.
type guest struct {
	*side

	name string
	out  chan message
}

// event is what a guest says, or that its connection has ended.
type event struct {
	*guest

	pod  int
	said message
	err  error
}

// CutError is why a run ended before its plan did, of which there is a report.
type CutError struct{ Cause string }

func (c *CutError) Error() string { return c.Cause }

// Listen begins to listen, and returns the token by which machines may join. Run does the rest.
func (h *Host) Listen(ctx context.Context, address string) (Token, error) {
	certificate, token, err := identity()
	if err != nil {
		return Token{}, err
	}
	plain, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return Token{}, fmt.Errorf("listening for machines: %w", err)
	}
	h.token = token
	h.listener = tls.NewListener(plain, &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate},
	})
	return token, nil
}

// Address is where the host listens.
func (h *Host) Address() net.Addr { return h.listener.Addr() }

// Close stops listening. Run does so too.
func (h *Host) Close() { _ = h.listener.Close() }

// Run has the machines that join follow the plan, and returns what all of them have measured. An error that comes with
// a report is a *CutError, or the cause of the end of the context.
func (h *Host) Run(ctx context.Context) (reportv1.Report, error) {
	h.meeting, h.guests = newMeeting(h.Plan), map[int]*guest{}
	h.arrivals, h.events = make(chan *guest), make(chan event)
	// The machines are heard to the end when the context has ended.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.serving.Go(func() { h.accept(serving) })
	h.moderate(serving, ctx)
	if h.meeting.cause == "" {
		h.tell(h.meeting.toOthers(-1, message{Kind: over}))
	}
	for pod := range h.guests {
		h.dismiss(pod)
	}
	h.Close()
	stop()
	h.serving.Wait()
	merged, err := h.meeting.merged(h.hash())
	cause := h.meeting.cause
	switch {
	case cause == "":
		return merged, err
	case ctx.Err() != nil:
		return merged, context.Cause(ctx)
	case err != nil:
		return reportv1.Report{}, errors.New(cause)
	}
	return merged, &CutError{cause}
}

func (h *Host) hash() string { return planv1.Hash(h.Encoded) }

// moderate hears the machines until all have handed in, or do not in time.
func (h *Host) moderate(serving, ctx context.Context) {
	patience := time.NewTimer(h.Patience)
	defer patience.Stop()
	interrupted := ctx.Done()
	var handIn <-chan time.Time
	for !h.meeting.ended() {
		select {
		case <-interrupted:
			interrupted = nil
			h.tell(h.meeting.end(context.Cause(ctx).Error(), -1))
		case <-patience.C:
			if missing := h.meeting.missing(); missing > 0 {
				h.tell(h.meeting.end(fmt.Sprintf("%d of %d machines had not joined within %s", missing, h.Plan.Pods,
					h.Patience), -1))
			}
		case <-handIn:
			return
		case arrived := <-h.arrivals:
			h.seat(serving, arrived)
		case heard := <-h.events:
			h.hear(heard)
		}
		if h.meeting.cause != "" && handIn == nil {
			h.Log.Warn("The machines are told to stop, and to hand in what they have", "cause", h.meeting.cause)
			handIn = time.After(handingIn)
		}
	}
}

// tell says something to machines. One that takes nothing any more is lost.
func (h *Host) tell(all []telling) {
	for _, telling := range all {
		of := h.guests[telling.pod]
		if of == nil {
			continue
		}
		select {
		case of.out <- telling.message:
		default:
			_ = of.Close()
		}
	}
}

// seat gives a machine its place, and hears it from then on.
func (h *Host) seat(ctx context.Context, arrived *guest) {
	pod, free := h.meeting.sit(arrived.name)
	if !free {
		h.serving.Go(func() {
			_ = arrived.send(message{Kind: refused, Why: "every place of the run is taken"})
			_ = arrived.Close()
		})
		return
	}
	h.guests[pod] = arrived
	arrived.out <- message{
		Kind: welcome, Pod: pod, Said: h.Encoded, RunUID: h.RunUID, RunName: h.RunName, Shares: h.SharesDatabase,
	}
	h.serving.Go(arrived.write)
	h.serving.Go(func() {
		for {
			said, err := arrived.receive(acquainted)
			select {
			case h.events <- event{guest: arrived, pod: pod, said: said, err: err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	})
	h.Log.Info("A machine has joined", "machine", arrived.name, "pod", pod, "missing", h.meeting.missing())
}

// hear takes what a machine says.
func (h *Host) hear(heard event) {
	if h.guests[heard.pod] != heard.guest {
		return // Another one has its place.
	}
	said, err := []telling(nil), heard.err
	if err == nil {
		if heard.said.Kind == failed {
			h.Log.Warn("A machine has failed", "machine", heard.name, "cause", cut(heard.said.Why, maxWhy))
		}
		said, err = h.meeting.hear(heard.pod, heard.said, time.Now())
	}
	if err != nil {
		h.Log.Info("A machine has left", "machine", heard.name, "pod", heard.pod, "cause", err)
		h.dismiss(heard.pod)
		said = h.meeting.leave(heard.pod, err)
	}
	h.tell(said)
	if heard.said.Kind == progress && h.Progress != nil && h.meeting.missing() == 0 {
		h.Progress(h.meeting.overall())
	}
}

// dismiss ends the connection to a machine once it was told all.
func (h *Host) dismiss(pod int) {
	close(h.guests[pod].out)
	delete(h.guests, pod)
}

// write sends what a machine is to be told, and that the host is there.
func (g *guest) write() {
	defer func() { _ = g.Close() }()
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		next, more := message{Kind: alive}, true
		select {
		case next, more = <-g.out:
		case <-ticker.C:
		}
		if !more || g.send(next) != nil {
			return
		}
	}
}

// accept lets machines introduce themselves until the listener is closed.
func (h *Host) accept(ctx context.Context) {
	places := make(chan struct{}, strangers)
	for {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return
		}
		conn, err := h.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // Such as too many open files, which passes.
			_ = alarm.Timer{}.Until(ctx, time.Now().Add(acceptPause)) // The next turn finds the context ended.
			<-places
		default:
			h.serving.Go(func() {
				h.letIn(ctx, conn)
				<-places
			})
		}
	}
}

// letIn has somebody introduce himself, and come for a place.
func (h *Host) letIn(ctx context.Context, conn net.Conn) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	arrived, err := h.introduce(conn)
	stop()
	if err != nil {
		h.Log.Info("Somebody was not let in", "address", conn.RemoteAddr(), "cause", err)
		_ = conn.Close()
		return
	}
	select {
	case h.arrivals <- arrived:
	case <-ctx.Done():
		_ = conn.Close()
	}
}

// introduce hears who somebody is, and tells the time as often as it is asked for.
func (h *Host) introduce(conn net.Conn) (*guest, error) {
	late := time.AfterFunc(introducing, func() { _ = conn.Close() })
	defer late.Stop()
	stranger, why := &side{Conn: conn}, ""
	said, err := stranger.exchange(strangerBytes, hello)
	switch {
	case err != nil:
		return nil, err
	case !h.token.knows(said.Secret):
		why = "the secret of the token is not the one of this run"
	case said.Version != h.Version:
		why = fmt.Sprintf("the load generator is of version %.40q, and that of the host of %q: use one version everywhere",
			said.Version, h.Version)
	}
	if why != "" {
		return nil, errors.Join(errors.New(why), stranger.send(message{Kind: refused, Why: why}))
	}
	if err := stranger.send(message{Kind: known}); err != nil {
		return nil, err
	}
	name := cut(said.Name, maxName)
	for range questions {
		said, err = stranger.exchange(strangerBytes, clock, ready, failed)
		switch {
		case err != nil:
			return nil, err
		case said.Kind == failed:
			return nil, fmt.Errorf("%s: %s", name, cut(said.Why, maxWhy))
		case said.Kind == ready:
			return &guest{side: stranger, name: name, out: make(chan message, untold)}, nil
		}
		if err := stranger.send(message{Kind: told, At: time.Now()}); err != nil {
			return nil, err
		}
	}
	return nil, errTooLarge
}
