package apply

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
)

// FieldOwner is the one field manager that the operator writes as.
const FieldOwner = client.FieldOwner("mongobench-operator")

// ErrForeign is wrapped when an object of a desired name exists and belongs to somebody else.
var ErrForeign = errors.New("exists already and does not belong to it")

// Applier writes desired objects.
type Applier struct {
	// Client writes.
	Client client.Client
	// Live reads past the cache: before an object is made for the first time, its name is looked up, since a cache that
	// lags or selects by label does not show everything that exists.
	Live client.Reader
}

// Result is what an Apply wrote.
type Result struct {
	Written int
	Deleted int
}

// Apply makes the cluster hold the desired objects, each controlled by the owner, and removes what is observed,
// controlled by the owner, and not desired. An object that is being removed is waited for, not brought back: its
// deletion wakes the controller.
//
// Jobs and Secrets are created and never changed: a Job's template cannot be, and a Secret's content was generated.
func (a Applier) Apply(ctx context.Context, owner client.Object, wanted, observed []desired.Object) (Result, error) {
	var result Result
	existing, err := a.byKey(observed)
	if err != nil {
		return result, err
	}
	var failures []error
	keep := map[key]bool{}
	for _, object := range wanted {
		id, err := a.key(object)
		if err != nil {
			return result, err
		}
		keep[id] = true
		written, err := a.applyOne(ctx, owner, object, existing[id])
		if err != nil {
			failures = append(failures, fmt.Errorf("applying %s %s: %w", id.kind.Kind, id.name, err))
		}
		if written {
			result.Written++
		}
	}
	for id, object := range existing {
		if keep[id] || !metav1.IsControlledBy(object, owner) || object.GetDeletionTimestamp() != nil {
			continue
		}
		if err := a.remove(ctx, object); err != nil {
			failures = append(failures, fmt.Errorf("removing %s %s: %w", id.kind.Kind, id.name, err))
			continue
		}
		result.Deleted++
	}
	return result, errors.Join(failures...)
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
		if made, err := a.madeBefore(ctx, owner, object, gvk); err != nil || made {
			return false, err
		}
		return true, a.write(ctx, object, gvk)
	}
	if !metav1.IsControlledBy(observed, owner) {
		return false, ErrForeign
	}
	if createdOnce(gvk) || observed.GetDeletionTimestamp() != nil {
		return false, nil
	}
	if same, err := desired.UpToDate(object, observed); err != nil || same {
		return false, err
	}
	return true, a.write(ctx, object, gvk)
}

// madeBefore says whether the cache is behind: the object exists and is ours. Its arrival in the cache wakes the
// controller.
func (a Applier) madeBefore(
	ctx context.Context, owner client.Object, object desired.Object, gvk schema.GroupVersionKind,
) (bool, error) {
	var found metav1.PartialObjectMetadata
	found.SetGroupVersionKind(gvk)
	err := a.Live.Get(ctx, client.ObjectKeyFromObject(object), &found)
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, err
	case !metav1.IsControlledBy(&found, owner):
		return false, ErrForeign
	}
	return true, nil
}

func (a Applier) write(ctx context.Context, object desired.Object, gvk schema.GroupVersionKind) error {
	if createdOnce(gvk) {
		return a.Client.Create(ctx, object, FieldOwner)
	}
	content, err := desired.Content(object)
	if err != nil {
		return err
	}
	apply := &unstructured.Unstructured{Object: content}
	apply.SetGroupVersionKind(gvk)
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
