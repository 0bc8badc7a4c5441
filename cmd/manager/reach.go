package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
)

const (
	// reachTime is how long a manager that starts waits for the API server. The startup probe of the chart allows more.
	// A manager that ended at once would be started again by the kubelet, after up to five minutes, in which the API
	// server may be back and nobody looks after the runs.
	reachTime = 4 * time.Minute
	// reachPeriod is how often it asks, and reachTimeout how long it waits for an answer.
	reachPeriod, reachTimeout = time.Second, 5 * time.Second
)

// reach waits until the API server answers, for a time. That it does not know the manager is an error at once; that it
// refuses is not, for one that has just started knows no roles yet.
func reach(ctx context.Context, cluster *rest.Config, within time.Duration) error {
	cluster = rest.CopyConfig(cluster)
	cluster.Timeout = reachTimeout
	client, err := discovery.NewDiscoveryClientForConfig(cluster)
	if err != nil {
		return fmt.Errorf("making a client of the API server: %w", err)
	}
	log, said := ctrl.Log.WithName("reach"), ""
	var last error
	err = wait.PollUntilContextTimeout(ctx, reachPeriod, within, true, func(context.Context) (bool, error) {
		_, last = client.ServerVersion()
		if last == nil || apierrors.IsUnauthorized(last) {
			return true, last
		}
		if last.Error() != said {
			said = last.Error()
			log.Info("waiting for the API server", "cause", said)
		}
		return false, nil
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the API server at %s did not answer within %s: %w", cluster.Host, within, last)
	case err != nil:
		return fmt.Errorf("asking the API server at %s for its version: %w", cluster.Host, err)
	}
	return nil
}
