package fleet

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/mongobench/mongobench-operator/hack/perf/process"
)

const (
	// startPatience and endPatience are how long the manager may take to fill its cache, and to end.
	startPatience = time.Minute
	endPatience   = 15 * time.Second
	askPatience   = 10 * time.Second
	poll          = 100 * time.Millisecond
)

// manager is the running program.
type manager struct {
	*process.Process

	address string
}

// startManager starts the program, and returns when it has seen the cluster.
func startManager(ctx context.Context, program, kubeconfig string) (*manager, error) {
	addresses, err := process.FreeAddresses(ctx, 2)
	if err != nil {
		return nil, err
	}
	started, err := process.Start("the manager", process.Command{
		Path: program,
		Arguments: []string{
			"--loadgen-image=example.com/loadgen:1",
			"--metrics-bind-address=" + addresses[0], "--health-probe-bind-address=" + addresses[1],
		},
		Environment: []string{"KUBECONFIG=" + kubeconfig},
	})
	if err != nil {
		return nil, err
	}
	err = await(ctx, startPatience, "the manager to be ready", func() (bool, error) {
		_, err := get(ctx, "http://"+addresses[1]+"/readyz")
		return err == nil, started.Ended()
	})
	if err != nil {
		started.Stop(endPatience)
		return nil, err
	}
	return &manager{Process: started, address: addresses[0]}, nil
}

func (m *manager) stop() { m.Stop(endPatience) }

func (m *manager) metrics(ctx context.Context) (metrics, error) {
	text, err := get(ctx, "http://"+m.address+"/metrics")
	if err != nil {
		return nil, fmt.Errorf("asking the manager for its metrics: %w", cmp.Or(m.Ended(), err))
	}
	return parseMetrics(text)
}

// get is the body that an address answers with.
func get(ctx context.Context, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", url, response.Status)
	}
	return string(body), err
}

// await looks again and again until something is so.
func await(ctx context.Context, patience time.Duration, what string, is func() (bool, error)) error {
	err := wait.PollUntilContextTimeout(ctx, poll, patience, true, func(context.Context) (bool, error) { return is() })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return fmt.Errorf("waited %s for %s", patience, what)
	}
	return err
}
