package soak

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

func TestEveryRunThatMayBeDrawnIsValid(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(200) {
		kind, run := Draw(rand.New(rand.NewPCG(seed, 0)))
		seen[kind.Name] = true
		if errs := validation.ValidateRun(run); len(errs) > 0 {
			t.Errorf("seed %d, %s: %v", seed, kind.Name, errs.ToAggregate())
		}
	}
	if len(seen) != len(kinds) {
		t.Errorf("%d of %d kinds were drawn", len(seen), len(kinds))
	}
}

func TestASeedDrawsTheSameRunAgain(t *testing.T) {
	_, one := Draw(rand.New(rand.NewPCG(4711, 7)))
	_, two := Draw(rand.New(rand.NewPCG(4711, 7)))
	if difference := cmp.Diff(one, two); difference != "" {
		t.Error(difference)
	}
}
