package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
)

// FieldOwner is the one field manager that the operator writes as.
const FieldOwner = client.FieldOwner("mongobench-operator")

// ErrForeign is wrapped when an object of a desired name exists and has another owner, or none: it stays until somebody
// removes it.
var ErrForeign = errors.New("exists already and does not belong to it")

// errLeft is wrapped when it is of an earlier owner of the same name: it is being removed.
var errLeft = errors.New("exists already, is of an earlier object of the same name, and is being removed")

// Applier writes desired objects.
type Applier struct {
	// Client writes.
	Client client.Client
	// Live reads past the cache: whose an object is that exists and was not observed, since a cache that lags or selects
	// by label does not show everything.
	Live client.Reader
}

// Apply makes the cluster hold the desired objects, each controlled by the owner, and removes what is observed,
// controlled by the owner, and not desired. An object that is being removed is waited for, not brought back: its
// deletion wakes the controller. One that cannot be written does not keep the others from it. It returns how many were
// written or removed.
//
// Jobs and Secrets are created and never changed: a Job's template cannot be, and a Secret's content was generated. No
// pods are started before every desired Secret is there: that there is a StatefulSet or a Job says so from then on, and
// no Secret needs to be read.
func (a Applier) Apply(ctx context.Context, owner client.Object, wanted, observed []desired.Object) (int, error) {
	existing, err := a.byKey(observed)
	if err != nil {
		return 0, err
	}
	var wave [2][]task
	var surplus []task
	for _, object := range wanted {
		id, err := a.key(object)
		if err != nil {
			return 0, err
		}
		found := existing[id]
		delete(existing, id)
		place := waveOf(id.kind.Kind)
		wave[place] = append(wave[place], task{id: id, doing: "applying", do: func() (bool, error) {
			return a.applyOne(ctx, owner, object, found)
		}})
	}
	for id, object := range existing {
		if !metav1.IsControlledBy(object, owner) || object.GetDeletionTimestamp() != nil {
			continue
		}
		surplus = append(surplus, task{id: id, doing: "removing", do: func() (bool, error) {
			return true, a.remove(ctx, object)
		}})
	}
	together(wave[0])
	if slices.ContainsFunc(wave[0], lacksSecret) {
		wave[1] = nil
	}
	together(wave[1])
	together(surplus)
	return outcome(slices.Concat(wave[0], wave[1], surplus))
}

func (a Applier) applyOne(ctx context.Context, owner client.Object, object, observed desired.Object) (bool, error) {
	object, ok := object.DeepCopyObject().(desired.Object)
	if !ok {
		return false, fmt.Errorf("%T is no object", object)
	}
	// Nothing here needs to hold up the owner's deletion, and to ask for that takes one more right on some clusters.
	dependent := controllerutil.WithBlockOwnerDeletion(false)
	if err := controllerutil.SetControllerReference(owner, object, a.Client.Scheme(), dependent); err != nil {
		return false, err
	}
	gvk, err := apiutil.GVKForObject(object, a.Client.Scheme())
	if err != nil {
		return false, err
	}
	if observed == nil {
		return a.make(ctx, owner, object, gvk)
	}
	if !metav1.IsControlledBy(observed, owner) {
		return false, a.notOurs(observed, owner)
	}
	if createdOnce(gvk) || observed.GetDeletionTimestamp() != nil {
		return false, nil
	}
	if same, err := desired.UpToDate(object, observed); err != nil || same {
		return false, err
	}
	return true, a.write(ctx, object, gvk, "")
}

// make makes an object that nothing was seen of, and says whether it wrote. The cache may be behind: when the object
// exists and is ours, its arrival in the cache wakes the controller.
func (a Applier) make(
	ctx context.Context, owner client.Object, object desired.Object, gvk schema.GroupVersionKind,
) (bool, error) {
	err := a.write(ctx, object, gvk, neverUsed)
	if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
		return err == nil, err
	}
	var found metav1.PartialObjectMetadata
	found.SetGroupVersionKind(gvk)
	if err := a.Live.Get(ctx, client.ObjectKeyFromObject(object), &found); err != nil {
		return false, err
	}
	if !metav1.IsControlledBy(&found, owner) {
		return false, a.notOurs(&found, owner)
	}
	return false, nil
}

// notOurs says why an object is in the way of one of the owner's.
func (a Applier) notOurs(found metav1.Object, owner client.Object) error {
	gvk, err := apiutil.GVKForObject(owner, a.Client.Scheme())
	if err != nil {
		return err
	}
	controller := metav1.GetControllerOf(found)
	if controller != nil && controller.Kind == gvk.Kind && controller.Name == owner.GetName() ||
		found.GetDeletionTimestamp() != nil {
		return errLeft
	}
	return ErrForeign
}

// neverUsed is a resource version that no object has: applying with it makes an object, and is a conflict when there is
// one. So an object of another owner is left alone without being looked for before each write. Source:
// https://kubernetes.io/docs/reference/using-api/server-side-apply/ and
// https://etcd.io/docs/v3.6/learning/api/ (an empty store is at revision 1).
const neverUsed = "1"

// write makes or changes an object; a version that is not empty must be the one that there is, as must one that the
// object itself names.
func (a Applier) write(ctx context.Context, object desired.Object, gvk schema.GroupVersionKind, version string) error {
	if createdOnce(gvk) {
		return a.Client.Create(ctx, object, FieldOwner)
	}
	content, err := desired.Content(object)
	if err != nil {
		return err
	}
	apply := &unstructured.Unstructured{Object: content}
	apply.SetGroupVersionKind(gvk)
	if version != "" {
		apply.SetResourceVersion(version)
	}
	return a.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(apply), FieldOwner, client.ForceOwnership)
}

func (a Applier) remove(ctx context.Context, object desired.Object) error {
	uid := object.GetUID()
	err := a.Client.Delete(ctx, object,
		client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	return client.IgnoreNotFound(err)
}

// createdOnce are the kinds that are made and then left as they are.
func createdOnce(gvk schema.GroupVersionKind) bool {
	return gvk.Kind == "Job" || gvk.Kind == "Secret"
}

type key struct {
	kind schema.GroupKind
	name string
}

func (a Applier) byKey(objects []desired.Object) (map[key]desired.Object, error) {
	byKey := make(map[key]desired.Object, len(objects))
	for _, object := range objects {
		id, err := a.key(object)
		if err != nil {
			return nil, err
		}
		byKey[id] = object
	}
	return byKey, nil
}

func (a Applier) key(object desired.Object) (key, error) {
	gvk, err := apiutil.GVKForObject(object, a.Client.Scheme())
	if err != nil {
		return key{}, fmt.Errorf("finding the kind of %T %s: %w", object, object.GetName(), err)
	}
	return key{kind: gvk.GroupKind(), name: object.GetName()}, nil
}

// Fault says whether an error of Apply is one that people have to mend, and which reason it has. Every other error is
// repeated by the queue. It is terminal if waiting does not mend it: an object that is invalid, or that a policy or a
// lack of rights forbids. A quota gets room, and an object of others goes away.
func Fault(err error) (podfault.Fault, bool) {
	switch {
	case err == nil:
		return podfault.Fault{}, false
	case errors.Is(err, ErrForeign), errors.Is(err, errLeft):
		return podfault.Fault{Reason: benchv1alpha1.ReasonConfigError, Message: err.Error()}, true
	case apierrors.IsForbidden(err) || apierrors.IsInvalid(err):
		reason := podfault.RefusalReason(err.Error())
		return podfault.Fault{
			Reason: reason, Message: err.Error(), Terminal: reason != benchv1alpha1.ReasonQuotaExceeded,
		}, true
	}
	return podfault.Fault{}, false
}

// Status writes the status of an object when it differs from what was read, and says whether it did. A status that
// another client wrote meanwhile is a conflict, which the controller's queue repeats with a fresh object. It is an
// update, because of a patch the API server has to make the whole object first.
func Status(ctx context.Context, writer client.Client, before, after client.Object) (bool, error) {
	if same, err := desired.SameStatus(before, after); err != nil || same {
		return false, err
	}
	if err := writer.Status().Update(ctx, after, FieldOwner); err != nil {
		return false, fmt.Errorf("writing status: %w", err)
	}
	return true, nil
}

// sideBySide is how many requests of one Apply are under way at once: the time of an Apply is that of waiting for the
// API server, and several owners are worked on at once.
const sideBySide = 4

// task is what is done to one object, and what came of it: whether it was written.
type task struct {
	id      key
	doing   string
	do      func() (bool, error)
	written bool
	err     error
}

// waveOf is when an object of a kind is written: what pods look for comes before what starts pods. A RoleBinding comes
// after its Role: of a client that may not grant every right the API server first looks up which ones these are. It
// need not wait any longer, for the authorizer learns of it behind the write anyway, which pods have patience with.
func waveOf(kind string) int {
	switch kind {
	case "StatefulSet", "Job", "MongoDBCommunity", "RoleBinding":
		return 1
	}
	return 0
}

// lacksSecret says whether a task was to make a Secret, and could not.
func lacksSecret(done task) bool { return done.id.kind.Kind == "Secret" && done.err != nil }

// outcome counts the objects that were written, and joins what went wrong.
func outcome(tasks []task) (written int, err error) {
	var failures []error
	for _, done := range tasks {
		switch {
		case done.err != nil:
			failures = append(failures, fmt.Errorf("%s %s %s: %w", done.doing, done.id.kind.Kind, done.id.name, done.err))
		case done.written:
			written++
		}
	}
	return written, errors.Join(failures...)
}

// together does tasks side by side.
func together(tasks []task) {
	free := make(chan struct{}, sideBySide)
	var group sync.WaitGroup
	for i := range tasks {
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			tasks[i].written, tasks[i].err = tasks[i].do()
		})
	}
	group.Wait()
}
