package caching

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// How many objects are read at a time.
const (
	// LargeKinds is how many of those that may have a megabyte, such as ConfigMaps, pods and runs: while they are read
	// they are in memory twice.
	LargeKinds = 8
	otherKinds = 100
)

// NewInformer makes an informer that lists in pages, and keeps of each page only what Slim leaves. By itself an
// informer asks for all objects at once, and holds them whole, where the API server does not stream lists (before
// Kubernetes 1.34, or with the feature gate WatchList off): one tenant's ConfigMaps would be more than the manager's
// memory.
func NewInformer(
	source cache.ListerWatcher, kind runtime.Object, resync time.Duration, indexers cache.Indexers,
) cache.SharedIndexInformer {
	if whole, is := source.(*cache.ListWatch); is {
		paged := *whole
		list := whole.ListWithContextFunc
		paged.ListWithContextFunc = func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return pages(ctx, options, pageSize(kind), list)
		}
		source = &paged
	}
	return cache.NewSharedIndexInformer(source, kind, resync, indexers)
}

func pageSize(kind runtime.Object) int64 {
	switch kind.(type) {
	case *corev1.ConfigMap, *corev1.Pod, *batchv1.Job, *appsv1.StatefulSet,
		*benchv1alpha1.BenchmarkRun, *benchv1alpha1.BenchmarkTarget, *benchv1alpha1.BenchmarkSuite:
		return LargeKinds
	default:
		return otherKinds
	}
}

// pages is a whole list, read piece by piece. Its version is that of the first piece, at which all of them are read. It
// is a list of objects and not of their kind, so that what an informer takes out of it is not copied.
func pages(
	ctx context.Context, options metav1.ListOptions, size int64, list cache.ListWithContextFunc,
) (runtime.Object, error) {
	// A version other than none is answered from the API server's own memory, in one piece.
	options.ResourceVersion, options.ResourceVersionMatch = "", ""
	options.Limit, options.Continue = size, ""
	whole := &metainternal.List{}
	for more := true; more; more = options.Continue != "" {
		page, err := list(ctx, options)
		if apierrors.IsResourceExpired(err) && len(whole.Items) > 0 {
			// It took longer than the API server keeps a version. What was read is of no use; the caller tries again.
			return nil, fmt.Errorf("listing in pages of %d: the list has expired after %d objects: %w", size,
				len(whole.Items), err)
		}
		if err != nil {
			return nil, err
		}
		if whole.Items, err = addSlim(whole.Items, page); err != nil {
			return nil, err
		}
		described, err := apimeta.ListAccessor(page)
		if err != nil {
			return nil, err
		}
		options.Continue = described.GetContinue()
		if whole.ResourceVersion == "" {
			whole.ResourceVersion = described.GetResourceVersion()
		}
	}
	return whole, nil
}

// addSlim adds what Slim leaves of the objects of a page. Each has memory of its own, so that nothing keeps the page.
func addSlim(all []runtime.Object, page runtime.Object) ([]runtime.Object, error) {
	items, err := apimeta.ExtractListWithAlloc(page)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		slim, err := Slim(item)
		if err != nil {
			return nil, err
		}
		if object, is := slim.(runtime.Object); is {
			all = append(all, object)
		}
	}
	return all, nil
}
