package testenv

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// idle is how often a controller is asked that should have nothing to do.
const idle = 50

// Writes notes what a controller writes. The zero value is ready; it is used by pointer.
type Writes struct {
	// Done is what was written, in its order, such as "apply ConfigMap r-plan".
	Done []string
	// Asked are the names of objects of which it was only asked whether they could be made.
	Asked []string
	// Refuse, when set, is asked for an error before each write, which is then not done.
	Refuse func(write string) error

	mutex sync.Mutex
	// known are answers that do not change; nil while something may happen.
	known *answers
}

// Through is a client that notes what is written through it. An update or patch of anything but a status is an error:
// the operator applies.
func (w *Writes) Through(c client.WithWatch) client.WithWatch {
	return interceptor.NewClient(c, interceptor.Funcs{
		Get: func(
			ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption,
		) error {
			return w.known.get(ctx, c, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, o client.ObjectList, opts ...client.ListOption) error {
			return w.known.list(ctx, c, o, opts...)
		},
		Create: w.create,
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			if err := w.note("delete %T %s", o, o.GetName()); err != nil {
				return err
			}
			return c.Delete(ctx, o, opts...)
		},
		Update: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.UpdateOption) error {
			return fmt.Errorf("the controller applies, and never updates as it did %T", o)
		},
		Patch: func(_ context.Context, _ client.WithWatch, o client.Object, _ client.Patch, _ ...client.PatchOption) error {
			return fmt.Errorf("the controller applies, and never patches as it did %T", o)
		},
		Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			if err := w.note("apply %s", describe(o)); err != nil {
				return err
			}
			return c.Apply(ctx, o, opts...)
		},
		SubResourceUpdate: func(
			ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption,
		) error {
			if err := w.note("update %s of %T %s", sub, o, o.GetName()); err != nil {
				return err
			}
			return c.SubResource(sub).Update(ctx, o, opts...)
		},
	})
}

func (w *Writes) create(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
	var options client.CreateOptions
	options.ApplyOptions(opts)
	if len(options.DryRun) > 0 {
		w.mutex.Lock()
		w.Asked = append(w.Asked, o.GetName())
		w.mutex.Unlock()
	} else if err := w.note("create %T %s", o, o.GetName()); err != nil {
		return err
	}
	return c.Create(ctx, o, opts...)
}

// note counts a write, and refuses it if the test says so.
func (w *Writes) note(format string, args ...any) error {
	w.mutex.Lock() // Several writes are under way at once.
	defer w.mutex.Unlock()
	write := fmt.Sprintf(format, args...)
	if w.Refuse != nil {
		if err := w.Refuse(write); err != nil {
			return err
		}
	}
	w.Done = append(w.Done, write)
	return nil
}

func describe(o any) string {
	named, ok := o.(interface {
		GetKind() string
		GetName() string
	})
	if !ok {
		return fmt.Sprintf("%T", o)
	}
	return named.GetKind() + " " + named.GetName()
}

// Settle reconciles until nothing is written any more.
func (w *Writes) Settle(t *testing.T, reconcile func() (ctrl.Result, error)) ctrl.Result {
	t.Helper()
	for range 10 {
		before := len(w.Done)
		result, err := reconcile()
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Done) == before {
			return result
		}
	}
	t.Fatalf("the controller goes on writing:\n%s", strings.Join(w.Done, "\n"))
	return ctrl.Result{}
}

// Idle settles, and then reconciles many times more, in which nothing may be written. Nobody else writes meanwhile, so
// that the API server is asked each question once.
func (w *Writes) Idle(t *testing.T, reconcile func() (ctrl.Result, error)) {
	t.Helper()
	w.Settle(t, reconcile)
	before := len(w.Done)
	w.known = &answers{known: map[string]answer{}}
	defer func() { w.known = nil }()
	for range idle {
		if _, err := reconcile(); err != nil {
			t.Fatal(err)
		}
	}
	if extra := w.Done[before:]; len(extra) > 0 {
		t.Errorf("%d idle reconciles wrote:\n%s", idle, strings.Join(extra, "\n"))
	}
}
