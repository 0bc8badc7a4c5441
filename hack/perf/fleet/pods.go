package fleet

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
)

// Asked is what an API server was asked for in some time, by verb and resource, such as "PATCH configmaps".
type Asked map[string]float64

// Sum of all.
func (a Asked) Sum() float64 {
	var sum float64
	for _, requests := range a {
		sum += requests
	}
	return sum
}

// String lists all that were asked for, the most frequent first.
func (a Asked) String() string {
	most := slices.SortedFunc(maps.Keys(a), func(x, y string) int {
		return cmp.Or(cmp.Compare(a[y], a[x]), cmp.Compare(x, y))
	})
	listed := make([]string, 0, len(most))
	for _, kind := range most {
		listed = append(listed, fmt.Sprintf("%.2f %s", a[kind], kind))
	}
	return strings.Join(listed, ", ")
}

const (
	// AskedWindow is how long requests are counted.
	AskedWindow = time.Minute
	// settling is the time from the first sign that a step is measured until its requests are counted: by then each pod
	// has said so.
	settling = 15 * time.Second
	// podsPatience is how long so many load pods on one machine may take to load and to come to a step, or to their end.
	podsPatience = 5 * time.Minute
)

// MeasurePods returns what a run with so many load pods asks an API server for in each second of a step: the pods, by
// the load generator's own code at a light rate, and the manager. It is the API server's own count, less what it counts
// in the same time without a run. The program plays the pods, and the database is a real one.
func MeasurePods(ctx context.Context, o Options, program, uri string, pods int) (Asked, error) {
	f := &fleet{Options: o}
	defer f.stop()
	f.Runs = 1
	asked, err := f.ask(ctx, program, uri, pods)
	if err != nil {
		return nil, fmt.Errorf("measuring a run with %d load pods: %w", pods, err)
	}
	return asked, nil
}

func (f *fleet) ask(ctx context.Context, program, uri string, pods int) (Asked, error) {
	if err := f.start(ctx); err != nil {
		return nil, err
	}
	f.node.pods = func(ctx context.Context, job *batchv1.Job, plan string) error {
		return f.playPods(ctx, job, plan, program, uri)
	}
	if err := f.makeTarget(ctx); err != nil {
		return nil, err
	}
	if err := f.settle(ctx); err != nil {
		return nil, err
	}
	_, _ = fmt.Fprintf(f.Log, "bench: what the API server is asked for without a run, for %s\n", AskedWindow)
	idle, err := f.window(ctx)
	if err != nil {
		return nil, err
	}
	measured := runOfPods(pods)
	if err := f.client.Create(ctx, measured); err != nil {
		return nil, err
	}
	if err := f.awaitStage(ctx, measured, benchv1alpha1.StageMeasuring); err != nil {
		return nil, err
	}
	_, _ = fmt.Fprintf(f.Log, "bench: what it is asked for while %d load pods measure, for %s\n", pods, AskedWindow)
	if err := process.Sleep(ctx, settling); err != nil {
		return nil, err
	}
	asked, err := f.window(ctx)
	if err != nil {
		return nil, err
	}
	for kind, requests := range idle {
		asked[kind] = max(0, asked[kind]-requests)
	}
	maps.DeleteFunc(asked, func(_ string, requests float64) bool { return requests == 0 })
	return asked, f.awaitStage(ctx, measured, benchv1alpha1.ReasonFinished)
}

// runOfPods is a run that measures for as long as its requests are counted, and longer, at ten operations a second and
// pod.
func runOfPods(pods int) *benchv1alpha1.BenchmarkRun {
	made := run(0)
	made.Name = "pods"
	made.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{Pods: new(int32(pods))}
	made.Spec.Dataset.Load = &benchv1alpha1.Load{Threads: new(int32(pods))}
	step := &made.Spec.Workload.Steps[0]
	step.WarmupSeconds, step.Threads = new(int32(5)), new(int32(pods))
	step.DurationSeconds = new(int32((2*settling + AskedWindow).Seconds()))
	step.Arrival = &benchv1alpha1.Arrival{
		Process: new(benchv1alpha1.ArrivalPoisson), OperationsPerSecond: new(int64(10 * pods)),
	}
	return made
}

// awaitStage waits until a run has come to a stage.
func (f *fleet) awaitStage(ctx context.Context, run *benchv1alpha1.BenchmarkRun, stage string) error {
	where := ""
	err := await(ctx, podsPatience, "the run to be "+stage, func() (bool, error) {
		if err := f.client.Get(ctx, client.ObjectKeyFromObject(run), run); err != nil {
			return false, err
		}
		var err error
		if _, where, err = whereIs(run); err != nil {
			return false, err
		}
		on := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunProgressing)
		return on != nil && on.Reason == stage, f.sound()
	})
	if err != nil {
		return fmt.Errorf("%w; %s", err, where)
	}
	return nil
}

// window is what the API server is asked for in a second, by its own count, while nothing else asks it.
func (f *fleet) window(ctx context.Context) (Asked, error) {
	before, err := f.asked(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := process.Sleep(ctx, AskedWindow); err != nil {
		return nil, err
	}
	after, err := f.asked(ctx)
	if err != nil {
		return nil, err
	}
	seconds := time.Since(began).Seconds()
	for kind := range after {
		after[kind] = (after[kind] - before[kind]) / seconds
	}
	return after, f.sound()
}

// asked is what the API server has been asked for since it started.
func (f *fleet) asked(ctx context.Context) (Asked, error) {
	text, err := f.server.metrics(ctx)
	if err != nil {
		return nil, err
	}
	all, err := parseMetrics(text)
	if err != nil {
		return nil, err
	}
	asked := Asked{}
	for _, one := range all["apiserver_request_total"].GetMetric() {
		labels := map[string]string{}
		for _, label := range one.GetLabel() {
			labels[label.GetName()] = label.GetValue()
		}
		resource := labels["resource"]
		if labels["subresource"] != "" {
			resource += "/" + labels["subresource"]
		}
		asked[labels["verb"]+" "+resource] += one.GetCounter().GetValue()
	}
	return asked, nil
}

// metrics are the API server's own.
func (s *server) metrics(ctx context.Context) (string, error) {
	asker, err := rest.HTTPClientFor(s.config)
	if err != nil {
		return "", err
	}
	address := strings.TrimSuffix(s.config.Host, "/") + "/metrics"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", err
	}
	answer, err := asker.Do(request)
	if err != nil {
		return "", fmt.Errorf("asking the API server for its metrics: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("asking the API server for its metrics: %s: %s", answer.Status, text)
	}
	return string(text), err
}

// playPods has the program be all load pods of a Job.
func (f *fleet) playPods(ctx context.Context, job *batchv1.Job, plan, program, uri string) error {
	file := filepath.Join(f.Folder, "plan.json")
	if err := os.WriteFile(file, []byte(plan), 0o600); err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	arguments := []string{
		"--kubeconfig", f.server.kubeconfig, "--namespace", namespace, "--uri", uri, "--plan", file,
	}
	for _, flag := range []string{
		"--gate-configmap", "--pod-configmap-prefix", "--report-configmap", "--collected-configmap", "--run-name",
	} {
		arguments = append(arguments, flag, argument(job, flag))
	}
	var said strings.Builder
	command := exec.CommandContext(ctx, program, arguments...)
	command.Stderr = &said
	if err := command.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, said.String())
	}
	return nil
}
