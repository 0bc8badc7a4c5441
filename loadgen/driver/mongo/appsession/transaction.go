package appsession

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/crud"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// Pauses between the attempts of a transaction, at random up to a limit that grows: those of the driver's
// WithTransaction.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = 500 * time.Millisecond
)

// transact does a Transaction: all of it is one operation. It repeats it as WithTransaction does, as long as the server
// says that it may help. WithTransaction itself commits in a context of its own, which nothing ends: with a server that
// does not answer, it would never return.
func (s *Session) transact(
	ctx context.Context, r *workload.Request, reply *loadgen.Reply, body func(context.Context) error,
) error {
	if s.transactions == nil {
		session, err := s.opener.Client.StartSession()
		if err != nil {
			return fmt.Errorf("starting the session of the transactions: %w", err)
		}
		s.transactions = session
	}
	s.inside = true
	defer func() { s.inside = false }()
	for pause := firstPause; ; pause = min(pause*3/2, longestPause) {
		err := s.attempt(ctx, r, reply, body)
		if err == nil || !s.retry || ctx.Err() != nil || !errorclass.HasLabel(err, errorclass.LabelTransient) {
			return err
		}
		*reply = loadgen.Reply{}
		wait := time.Duration(rand.Int64N(int64(pause)))
		if err := (alarm.Timer{}).Until(ctx, time.Now().Add(wait)); err != nil {
			return err
		}
	}
}

// Transact does what body executes in a transaction. Each operation of it has the time that any other has, and so has
// the commit.
func (s *Session) Transact(
	ctx context.Context, r *workload.Request, reply *loadgen.Reply, body func() error,
) error {
	return s.transact(ctx, r, reply, func(context.Context) error { return body() })
}

// parts executes those of a Transaction that has its own.
func (s *Session) parts(r *workload.Request, reply *loadgen.Reply) func(context.Context) error {
	return func(within context.Context) error {
		for i := range r.Parts {
			if err := s.execute(within, &r.Parts[i], reply); err != nil {
				return err
			}
		}
		return nil
	}
}

// attempt does a transaction once, and leaves none open.
func (s *Session) attempt(
	ctx context.Context, r *workload.Request, reply *loadgen.Reply, body func(context.Context) error,
) error {
	if err := s.transactions.StartTransaction(crud.TransactionOptions(r.Declared)); err != nil {
		return fmt.Errorf("starting the transaction: %w", err)
	}
	if err := body(driver.NewSessionContext(ctx, s.transactions)); err != nil {
		s.abort(ctx)
		return err
	}
	if len(r.Parts) > 0 {
		return s.commit(ctx)
	}
	bounded := s.bound.begin(ctx)
	err := s.commit(bounded)
	reply.Retries += s.bound.retries(err)
	return s.bound.end(err)
}

// commit ends the transaction with its effects.
func (s *Session) commit(ctx context.Context) error {
	err := s.transactions.CommitTransaction(ctx)
	for err != nil && s.retry && ctx.Err() == nil && errorclass.HasLabel(err, errorclass.LabelUnknownCommit) &&
		!errors.Is(err, context.DeadlineExceeded) {
		err = s.transactions.CommitTransaction(ctx)
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil || driver.IsTimeout(err) {
		// The driver takes the transaction for open still, and so may the server, with all that it keeps from others.
		s.endTransactions(ctx)
	}
	return fmt.Errorf("committing the transaction: %w", err)
}

// abort ends the transaction without its effects. What goes wrong in it is left to the server, which ends an idle
// transaction.
func (s *Session) abort(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	failed := s.bound.failed
	_ = s.transactions.AbortTransaction(ctx)
	s.bound.failed = failed
}

// endTransactions ends the session, and the transaction that is open in it. The next transaction gets another session.
func (s *Session) endTransactions(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	s.transactions.EndSession(ctx)
	s.transactions = nil
}
