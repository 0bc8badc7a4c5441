package harness

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	// requestTimeout bounds each request to the API server.
	requestTimeout = 30 * time.Second
	// requests a second that the tests may make; the client's own limit of 5 would measure itself.
	queriesPerSecond = 100
)

// Cluster is the cluster under test, as its administrator sees it.
type Cluster struct {
	client.Client

	// Typed reaches what a generic client does not: logs, proxies, port forwards.
	Typed *kubernetes.Clientset
	// Config is how to connect.
	Config *rest.Config
	// Summary collects what is told at the end.
	Summary *Summary

	monitoring monitoring
}

// Connect connects to the cluster that KUBECONFIG names.
func Connect() (*Cluster, error) {
	settings, err := config.GetConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w; run the tests by `make e2e`, or set KUBECONFIG", err)
	}
	settings.Timeout = requestTimeout
	settings.QPS, settings.Burst = queriesPerSecond, 2*queriesPerSecond
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), benchv1alpha1.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("making the API known: %w", err)
	}
	cluster := &Cluster{Config: settings, Summary: &Summary{}}
	if cluster.Client, err = client.New(settings, client.Options{Scheme: scheme}); err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	if cluster.Typed, err = kubernetes.NewForConfig(settings); err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return cluster, nil
}
