package claim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mongobench/mongobench-operator/internal/naming"
)

// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=create
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,resourceNames=mongobench-installation,verbs=get;update

const (
	// duration is how long a Lease that is not renewed is respected.
	duration = time.Minute
	// interval is how often at most the API server is asked about a namespace. A pass that begins at its end has twice
	// that time until anybody else may begin.
	interval = duration / 3
)

// Claims are the namespaces that an installation works in. Those of nobody, which is nil, are all.
type Claims struct {
	// Client writes Leases, and Live reads them from the API server.
	Client client.Client
	Live   client.Reader
	// Installation is what others see as the holder, the same for all of its pods.
	Installation string
	Now          func() time.Time

	mutex      sync.Mutex
	namespaces map[string]*namespace
}

// namespace is what is known of one.
type namespace struct {
	// mutex is held while the API server is asked.
	mutex sync.Mutex
	lease *coordinationv1.Lease
	held  bool
	// asked is when, and seen when the Lease was first seen as it is.
	asked, seen time.Time
	// told is when objects were last told that they are another's.
	told map[types.UID]time.Time
}

// forget drops what is known of namespaces in which there is nothing to do and was nothing for a while.
func (c *Claims) forget(busy []string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	now := c.Now()
	maps.DeleteFunc(c.namespaces, func(name string, known *namespace) bool {
		if slices.Contains(busy, name) || !known.mutex.TryLock() {
			return false
		}
		defer known.mutex.Unlock()
		return now.Sub(known.asked) > duration
	})
}

// HeldError says that another installation works in a namespace.
type HeldError struct {
	Namespace string
	// Holder is the other, and Own this installation.
	Holder, Own string
	// Again is when to ask again.
	Again time.Duration
}

func (e HeldError) Error() string {
	return fmt.Sprintf("the operator %q works in this namespace, by its Lease %s; %q leaves it alone until that has run "+
		"out: uninstall one of them, or give each other namespaces by watchNamespaces", e.Holder,
		naming.InstallationLease, e.Own)
}

// Hold returns nil if the installation may work in a namespace, a HeldError while another does, and any other error
// when that cannot be told.
func (c *Claims) Hold(ctx context.Context, name string) error {
	if c == nil {
		return nil
	}
	known := c.of(name)
	known.mutex.Lock()
	defer known.mutex.Unlock()
	now := c.Now()
	if left := known.asked.Add(interval).Sub(now); known.lease != nil && left > 0 {
		return c.answer(name, known, left)
	}
	was := known.foreign()
	if err := c.ask(ctx, name, known, now); err != nil {
		return fmt.Errorf("claiming namespace %s by Lease %s: %w", name, naming.InstallationLease, err)
	}
	known.asked = now
	if foreign := known.foreign(); foreign != was {
		logf.FromContext(ctx).Info("another installation works in the namespace", "namespace", name,
			"lease", naming.InstallationLease, "holder", holder(known.lease), "over", !foreign)
	}
	return c.answer(name, known, interval)
}

// Foreign says whether a namespace was another installation's when it was last looked at.
func (c *Claims) Foreign(name string) bool {
	if c == nil {
		return false
	}
	known := c.of(name)
	known.mutex.Lock()
	defer known.mutex.Unlock()
	return known.foreign()
}

func (n *namespace) foreign() bool { return n.lease != nil && !n.held }

// tellAgain is about as long as the API server keeps an event.
const tellAgain = 50 * time.Minute

// Tells says whether an object is to be told that another installation works in its namespace: it was not lately.
func (c *Claims) Tells(object client.Object) bool {
	known := c.of(object.GetNamespace())
	known.mutex.Lock()
	defer known.mutex.Unlock()
	now, uid := c.Now(), object.GetUID()
	if told, before := known.told[uid]; before && now.Sub(told) < tellAgain {
		return false
	}
	if known.told == nil {
		known.told = map[types.UID]time.Time{}
	}
	known.told[uid] = now
	return true
}

func (c *Claims) of(name string) *namespace {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.namespaces == nil {
		c.namespaces = map[string]*namespace{}
	}
	if c.namespaces[name] == nil {
		c.namespaces[name] = &namespace{}
	}
	return c.namespaces[name]
}

func (c *Claims) answer(name string, known *namespace, again time.Duration) error {
	if known.held {
		return nil
	}
	return HeldError{Namespace: name, Holder: holder(known.lease), Own: c.Installation, Again: again}
}

// ask takes or renews the Lease of a namespace, or learns whose it is.
func (c *Claims) ask(ctx context.Context, name string, known *namespace, now time.Time) error {
	if known.held {
		err := c.write(ctx, known.lease, known, now)
		if err == nil || !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
		known.lease, known.held = nil, false
	}
	there := &coordinationv1.Lease{}
	err := c.Live.Get(ctx, client.ObjectKey{Namespace: name, Name: naming.InstallationLease}, there)
	switch {
	case apierrors.IsNotFound(err):
		return c.create(ctx, name, known, now)
	case err != nil:
		return err
	}
	if known.lease == nil || known.lease.ResourceVersion != there.ResourceVersion {
		known.seen = now
	}
	known.lease = there
	if holder(there) == c.Installation || holder(there) == "" || now.Sub(known.seen) >= lasts(there) {
		return c.write(ctx, there, known, now)
	}
	return nil
}

func (c *Claims) create(ctx context.Context, name string, known *namespace, now time.Time) error {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
		Namespace: name, Name: naming.InstallationLease,
		Labels: map[string]string{naming.ManagedByLabel: naming.ManagedBy},
	}}
	c.sign(lease, now)
	err := c.Client.Create(ctx, lease)
	// Nobody can make anything there any more, and there is nothing to fight about.
	if err == nil || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		known.lease, known.held = lease, true
		return nil
	}
	return err
}

// write takes or renews a Lease, if it is still the one that was read.
func (c *Claims) write(ctx context.Context, there *coordinationv1.Lease, known *namespace, now time.Time) error {
	lease := there.DeepCopy()
	c.sign(lease, now)
	if err := c.Client.Update(ctx, lease); err != nil {
		return err
	}
	known.lease, known.held = lease, true
	return nil
}

// sign makes a Lease the installation's own from now on.
func (c *Claims) sign(lease *coordinationv1.Lease, now time.Time) {
	if before := holder(lease); before != c.Installation {
		lease.Spec.AcquireTime = new(metav1.NewMicroTime(now))
		lease.Spec.HolderIdentity = new(c.Installation)
	}
	lease.Spec.LeaseDurationSeconds = new(int32(duration.Seconds()))
	lease.Spec.RenewTime = new(metav1.NewMicroTime(now))
}

func holder(lease *coordinationv1.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// lasts is how long a Lease is respected.
func lasts(lease *coordinationv1.Lease) time.Duration {
	if seconds := lease.Spec.LeaseDurationSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return duration
}

// IsHeld says whether an error is that another installation works in a namespace.
func IsHeld(err error) (HeldError, bool) {
	var held HeldError
	is := errors.As(err, &held)
	return held, is
}
