package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/follow"
)

// Exit codes besides 0, as docs/kubectl-mongobench.md has them.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitTimedOut    = 3
	exitRefused     = 4
	exitInterrupted = 130
)

var (
	errTimedOut = errors.New("timed out")
	// errInterrupted is a signal of the user, which ends this program and nothing in the cluster.
	errInterrupted = errors.New("interrupted")
	// errTold is an ending of which everything was printed already.
	errTold = errors.New("it ended badly")
)

// exitCode of several errors that were joined is that of the gravest, in the order of the cases.
func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, cluster.ErrUsage):
		return exitUsage
	case errors.Is(err, cluster.ErrRefused):
		return exitRefused
	case errors.Is(err, errTimedOut):
		return exitTimedOut
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		return exitFailed
	}
}

// told is the error of an ending that was printed: nil when it is a good one.
func told(ending follow.Ending, regressionFails bool) error {
	switch {
	case ending == follow.Refused:
		return fmt.Errorf("%w: %w", errTold, cluster.ErrRefused)
	case ending == follow.Failed, ending == follow.Regressed && regressionFails:
		return errTold
	default:
		return nil
	}
}
