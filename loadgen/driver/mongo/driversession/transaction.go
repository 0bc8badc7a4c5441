package driversession

import (
	"context"
	"errors"
	"fmt"
	"time"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/crud"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// transact does a Transaction: all of it is one operation. With retries it is done once more when the server says that
// it may help; what the first attempt took is part of what is measured.
func (s *Session) transact(
	ctx context.Context, r *workload.Request, reply *loadgen.Reply, body func(context.Context) error,
) error {
	if s.transactions == nil {
		session, err := s.opener.Client.StartSession(options.Session().SetCausalConsistency(false))
		if err != nil {
			return fmt.Errorf("starting the session of the transactions: %w", err)
		}
		s.transactions = session
	}
	s.build.InTransaction = true
	defer func() { s.build.InTransaction = false }()
	err := s.attempt(ctx, r, reply, body)
	if err == nil || !s.retry.enabled || !errorclass.HasLabel(err, errorclass.LabelTransient) || ctx.Err() != nil {
		return err
	}
	*reply = loadgen.Reply{Retries: reply.Retries + 1}
	return s.attempt(ctx, r, reply, body)
}

// Transact does what body executes in a transaction.
func (s *Session) Transact(
	ctx context.Context, r *workload.Request, reply *loadgen.Reply, body func() error,
) error {
	return s.transact(ctx, r, reply, func(context.Context) error { return body() })
}

// parts executes those of a Transaction that has its own.
func parts(s *Session, r *workload.Request, reply *loadgen.Reply) func(context.Context) error {
	return func(inside context.Context) error {
		for i := range r.Parts {
			if err := s.execute(inside, &r.Parts[i], reply); err != nil {
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
	err := s.commit(ctx)
	if err != nil && s.retry.enabled && errorclass.HasLabel(err, errorclass.LabelUnknownCommit) && ctx.Err() == nil {
		reply.Retries++
		err = s.commit(ctx)
	}
	if err == nil {
		return nil
	}
	if driver.IsTimeout(err) {
		// The driver takes the transaction for open still, and so may the server, with all that it keeps from others.
		s.endTransactions(ctx)
	}
	// After any other error the worker's next transaction, which is of the same session, makes the server end this
	// one.
	return fmt.Errorf("committing the transaction: %w", err)
}

// commit ends the transaction. The driver itself sends a commit twice after an error of the network, as its
// specification wants; a deadline would let it do so without end, hence the timer.
func (s *Session) commit(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(s.opener.Timeout, cancel)
	err := s.transactions.CommitTransaction(ctx)
	if !timer.Stop() && err != nil {
		return errors.Join(err, context.DeadlineExceeded)
	}
	return err
}

// abort ends the transaction without its effects. What goes wrong in it is left to the server, which ends a
// idle transaction.
func (s *Session) abort(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = s.transactions.AbortTransaction(ctx)
}

// endTransactions ends the session, and the transaction that is open in it. The next transaction gets another session.
func (s *Session) endTransactions(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	s.transactions.EndSession(ctx)
	s.transactions = nil
}
