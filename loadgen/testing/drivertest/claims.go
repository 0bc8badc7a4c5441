package drivertest

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/loadgen"
)

// CheckClaims checks that a real target keeps the claim of an empty database as a Claimer has to.
func CheckClaims(t *testing.T, target loadgen.Claimer, database string) {
	t.Helper()
	set := func(held, next *loadgen.Claim, want bool) {
		t.Helper()
		changed, err := target.SetClaim(t.Context(), database, held, next)
		if err != nil || changed != want {
			t.Fatalf("%+v in the place of %+v: %t, %v; want %t", next, held, changed, err, want)
		}
	}
	holds := func(want *loadgen.Claim) {
		t.Helper()
		got, err := target.Claim(t.Context(), database)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("claim, error %v (-want +got):\n%s", err, diff)
		}
	}
	first := &loadgen.Claim{Holder: "a", Name: "bench/ä\"'`", Beat: 1}
	renewed := &loadgen.Claim{Holder: "a", Name: "bench/ä\"'`", Beat: 2, Shares: true}
	other := &loadgen.Claim{Holder: "b", Name: "bench/b", Beat: 2}
	holds(nil)
	set(first, renewed, false)
	set(first, nil, false)
	set(nil, first, true)
	holds(first)
	set(nil, other, false)
	set(other, renewed, false)
	set(first, renewed, true)
	set(first, renewed, false)
	set(first, nil, false)
	holds(renewed)
	checkRace(t, target, database, renewed)
	held, err := target.Claim(t.Context(), database)
	if err != nil || held == nil {
		t.Fatalf("after a race the claim is %+v, %v", held, err)
	}
	set(held, nil, true)
	holds(nil)
	checkRace(t, target, database, nil)
}

// checkRace has several replace the same claim at once: one of them does.
func checkRace(t *testing.T, target loadgen.Claimer, database string, held *loadgen.Claim) {
	t.Helper()
	const runs = 8
	var won atomic.Int32
	var racing sync.WaitGroup
	for i := range runs {
		racing.Go(func() {
			next := &loadgen.Claim{Holder: string(rune('p' + i)), Beat: 3}
			changed, err := target.SetClaim(t.Context(), database, held, next)
			if err != nil {
				t.Error(err)
			}
			if changed {
				won.Add(1)
			}
		})
	}
	racing.Wait()
	if got := won.Load(); got != 1 {
		t.Errorf("%d of %d that replaced %+v at once did", got, runs, held)
	}
}
