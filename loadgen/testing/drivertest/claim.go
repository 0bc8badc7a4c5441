package drivertest

import (
	"context"

	"github.com/mongobench/mongobench-operator/loadgen"
)

// Claim is the one that was written last and not given back.
func (t *Target) Claim(context.Context, string) (*loadgen.Claim, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.claim == nil {
		return nil, nil //nolint:nilnil // That nobody claims a database is no error.
	}
	return new(*t.claim), nil
}

// SetClaim replaces a claim that is as it was read.
func (t *Target) SetClaim(ctx context.Context, _ string, held, next *loadgen.Claim) (bool, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.RefuseClaim != nil {
		if err := t.RefuseClaim(); err != nil {
			return false, err
		}
	}
	if (held == nil) != (t.claim == nil) || held != nil && (held.Holder != t.claim.Holder || held.Beat != t.claim.Beat) {
		return false, ctx.Err()
	}
	if t.claim = nil; next != nil {
		t.claim = new(*next)
	}
	return true, ctx.Err()
}
