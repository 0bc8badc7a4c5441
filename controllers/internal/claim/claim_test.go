package claim_test

import (
	"context"
	"errors"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mongobench/mongobench-operator/controllers/internal/claim"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// play is a namespace and a clock that two installations see.
type play struct {
	t         *testing.T
	namespace string
	now       time.Time
	// requests counts those that concern Leases; fault fails all of them.
	requests int
	fault    error
}

func newPlay(t *testing.T) *play {
	t.Helper()
	return &play{t: t, namespace: environment.Namespace(t), now: time.Now()}
}

// installed is the claims of a manager that has just been started.
func (p *play) installed(name string) *claim.Claims {
	counted := interceptor.NewClient(environment.Client, interceptor.Funcs{
		Get: func(
			ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption,
		) error {
			return p.request(func() error { return c.Get(ctx, key, o, opts...) })
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return p.request(func() error { return c.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return p.request(func() error { return c.Update(ctx, o, opts...) })
		},
	})
	return &claim.Claims{
		Client: counted, Live: counted, Installation: name, Now: func() time.Time { return p.now },
	}
}

func (p *play) request(do func() error) error {
	if p.requests++; p.fault != nil {
		return p.fault
	}
	return do()
}

func (p *play) pass(d time.Duration) { p.now = p.now.Add(d) }

// wants says whether an installation may work now.
func (p *play) wants(claims *claim.Claims, may bool) {
	p.t.Helper()
	err := claims.Hold(p.t.Context(), p.namespace)
	held, foreign := claim.IsHeld(err)
	switch {
	case err != nil && !foreign:
		p.t.Fatal(err)
	case foreign == may, claims.Foreign(p.namespace) == may:
		p.t.Fatalf("it may work: %t (%v), want %t", !foreign, err, may)
	case foreign && held.Again <= 0:
		p.t.Fatalf("it is to ask again after %s", held.Again)
	}
}

func (p *play) holder() string {
	p.t.Helper()
	var lease coordinationv1.Lease
	key := client.ObjectKey{Namespace: p.namespace, Name: naming.InstallationLease}
	if err := environment.Client.Get(p.t.Context(), key, &lease); err != nil {
		p.t.Fatal(err)
	}
	return *lease.Spec.HolderIdentity
}

func TestOneInstallationWorksInANamespace(t *testing.T) {
	p := newPlay(t)
	first, second := p.installed("bench/first"), p.installed("bench/second")
	p.wants(first, true)
	p.wants(second, false)
	for range 10 { // The first renews, whatever the second does.
		p.pass(25 * time.Second)
		p.wants(second, false)
		p.wants(first, true)
	}
	// An upgrade is another manager of the same installation.
	p.pass(50 * time.Second)
	first = p.installed("bench/first")
	p.wants(first, true)
	p.wants(second, false)
	// It is uninstalled.
	p.pass(59 * time.Second)
	p.wants(second, false)
	p.pass(time.Minute)
	p.wants(second, true)
	if got := p.holder(); got != "bench/second" {
		t.Errorf("the Lease is held by %q", got)
	}
	// It comes back, and has to wait like anybody else.
	p.wants(first, false)
}

// TestALeaseIsNotTakenBeforeItWasSeenToRunOut: clocks of other machines are not believed.
func TestALeaseIsNotTakenBeforeItWasSeenToRunOut(t *testing.T) {
	p := newPlay(t)
	p.wants(p.installed("bench/first"), true)
	p.pass(time.Hour)
	second := p.installed("bench/second")
	p.wants(second, false)
	p.pass(59 * time.Second)
	p.wants(second, false)
	p.pass(20 * time.Second)
	p.wants(second, true)
}

func TestTheAPIServerIsSeldomAsked(t *testing.T) {
	p := newPlay(t)
	first, second := p.installed("bench/first"), p.installed("bench/second")
	p.wants(first, true)
	p.wants(second, false)
	before := p.requests
	for range 600 { // Ten minutes.
		p.pass(time.Second)
		p.wants(first, true)
		p.wants(second, false)
	}
	if made := p.requests - before; made > 2*30 {
		t.Errorf("two installations made %d requests in ten minutes, want one each in 20 s", made)
	}
}

// TestNobodyWorksWhereItCannotBeTold: a Lease that cannot be read or renewed is no leave to work.
func TestNobodyWorksWhereItCannotBeTold(t *testing.T) {
	p := newPlay(t)
	first := p.installed("bench/first")
	p.fault = apierrors.NewInternalError(errors.New("etcd is away"))
	if err := first.Hold(t.Context(), p.namespace); !errors.Is(err, p.fault) {
		t.Errorf("without an answer: %v", err)
	}
	p.fault = nil
	p.wants(first, true)
	p.fault = apierrors.NewInternalError(errors.New("etcd is away"))
	p.pass(21 * time.Second)
	if err := first.Hold(t.Context(), p.namespace); !errors.Is(err, p.fault) {
		t.Errorf("when it is not renewed: %v", err)
	}
	p.fault = nil
	p.wants(first, true)
}
