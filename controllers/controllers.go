package controllers

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/caching"
	"github.com/mongobench/mongobench-operator/controllers/internal/claim"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/run"
	"github.com/mongobench/mongobench-operator/controllers/suite"
	"github.com/mongobench/mongobench-operator/controllers/target"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Settings are what the operator was started with.
type Settings = settings.Settings

// Platform is a kind of cluster.
type Platform = settings.Platform

// The platforms.
const (
	PlatformKubernetes = settings.PlatformKubernetes
	PlatformOpenShift  = settings.PlatformOpenShift
)

// Gates are the experimental features that are on or off.
type Gates = settings.Gates

// ParseGates reads "NAME=true,NAME=false", and KnownGates are all of them, as they are by default.
var (
	ParseGates = settings.ParseGates
	KnownGates = settings.KnownGates
)

// Scheme knows the kinds of Kubernetes and of this operator.
func Scheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	kinds := runtime.NewSchemeBuilder(clientgoscheme.AddToScheme, benchv1alpha1.AddToScheme)
	if err := kinds.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("registering kinds: %w", err)
	}
	return scheme, nil
}

// Setup adds every controller to a manager that was made with Scheme and CacheOptions.
func Setup(manager ctrl.Manager, operator Settings) error {
	claims, err := claimed(manager, operator)
	if err != nil {
		return err
	}
	line := &queue.Queue{} // Runs and targets wait for one another.
	return errors.Join(target.Setup(manager, operator, claims, line), run.Setup(manager, operator, claims, line),
		suite.Setup(manager, operator, claims))
}

// claimed are the namespaces that the installation works in: those that no other does. One without a name takes all.
func claimed(manager ctrl.Manager, operator Settings) (*claim.Claims, error) {
	if operator.Installation == "" {
		return nil, nil
	}
	claims := &claim.Claims{
		Client: manager.GetClient(), Live: manager.GetAPIReader(), Installation: operator.Installation, Now: time.Now,
	}
	if err := manager.Add(claims.Keep(manager.GetClient())); err != nil {
		return nil, fmt.Errorf("adding what renews the Leases: %w", err)
	}
	return claims, nil
}

// CacheOptions hold in memory what the operator made, found by its label, and the objects of its own kinds, whoever
// made them. A cluster's other pods and ConfigMaps, which may be many, are not there, nor are merged reports, nor any
// Secret. No namespaces means all.
func CacheOptions(namespaces []string) cache.Options {
	everything := cache.ByObject{Label: labels.Everything()}
	made := labels.SelectorFromSet(labels.Set{naming.ManagedByLabel: naming.ManagedBy})
	options := cache.Options{
		DefaultLabelSelector: made,
		DefaultTransform:     caching.Slim,
		NewInformer:          caching.NewInformer,
		// A kind that no controller watches would be cached by the first read of it, unnoticed.
		ReaderFailOnMissingInformer: true,
		ByObject: map[client.Object]cache.ByObject{
			&benchv1alpha1.BenchmarkRun{}:    everything,
			&benchv1alpha1.BenchmarkTarget{}: everything,
			&benchv1alpha1.BenchmarkSuite{}:  everything,
			&corev1.ConfigMap{}:              {Label: caching.WithoutReports(made)},
		},
	}
	for _, namespace := range namespaces {
		if options.DefaultNamespaces == nil {
			options.DefaultNamespaces = map[string]cache.Config{}
		}
		options.DefaultNamespaces[namespace] = cache.Config{}
	}
	return options
}
