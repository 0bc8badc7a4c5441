package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

const (
	targetPatience = time.Minute
	// stuckPatience is how long no run may come to its end before the whole is given up.
	stuckPatience = 2 * time.Minute
	// quiet is how long nothing was written when nothing more is expected, events included.
	quiet         = 2 * time.Second
	quietPatience = time.Minute
	// tellEvery is how often the progress is told.
	tellEvery = 10 * time.Second
)

// Options say what is measured.
type Options struct {
	// Runs that are made at once.
	Runs int
	// Manager is the program, Assets the folder with etcd and kube-apiserver, Definitions that with the kinds.
	Manager     string
	Assets      string
	Definitions string
	// Folder is where files are kept; the caller removes it.
	Folder string
	// Idle is how long nothing is touched in the end.
	Idle time.Duration
	// Log is told the progress.
	Log io.Writer
}

// Seen is what came of one fleet.
type Seen struct {
	Runs int
	// Took is the time from the first run's creation until all had ended and were cleaned up.
	Took time.Duration
	// AtOnce is how many Jobs there were at the same time, at most.
	AtOnce int
	// Reconciles are the times of all reconciles meanwhile, in seconds.
	Reconciles Histogram
	// CPU is what the manager used meanwhile.
	CPU time.Duration
	// Requests is how many the manager sent meanwhile, reads and refused ones included; watches count once.
	Requests int
	// Writes are what the manager wrote meanwhile, and Refused those of them that the API server did not take.
	Writes, Refused Writes
	// Peak is the largest resident size of the manager, Idle and its restart included, and End that at the end of the
	// last run, in bytes.
	Peak, End int64
	// Idle is what was written after the last run had ended, and Restart what another manager wrote then.
	Idle, Restart Writes
}

// fleet is a measurement that goes on.
type fleet struct {
	Options
	server  *server
	node    *node
	manager *manager
	client  client.Client
	seen    Seen
}

// Measure lets a manager bring a fleet to its end. Everything that it starts has ended when it returns.
func Measure(ctx context.Context, o Options) (Seen, error) {
	f := &fleet{Options: o, seen: Seen{Runs: o.Runs}}
	for _, step := range []func(context.Context) error{f.start, f.makeTarget, f.measure, f.measureIdle, f.measureRestart} {
		if err := step(ctx); err != nil {
			f.stop()
			return Seen{}, fmt.Errorf("measuring %d runs: %w", o.Runs, err)
		}
	}
	f.stop()
	return f.seen, nil
}

func (f *fleet) start(ctx context.Context) error {
	var err error
	if f.server, err = startServer(f.Assets, f.Definitions, f.Folder); err != nil {
		return err
	}
	if f.client, err = client.New(f.server.config, client.Options{Scheme: f.server.scheme}); err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	if f.node, err = startNode(ctx, f.server); err != nil {
		return err
	}
	f.manager, err = startManager(ctx, f.Manager, f.server.kubeconfig)
	return err
}

func (f *fleet) stop() {
	if f.manager != nil {
		f.manager.stop()
	}
	if f.node != nil {
		f.node.stop()
	}
	if f.server != nil {
		f.server.stop()
	}
}

// sound says why it makes no sense to go on.
func (f *fleet) sound() error { return errors.Join(f.manager.Ended(), f.node.failure()) }

func (f *fleet) tell(format string, arguments ...any) {
	_, _ = fmt.Fprintf(f.Log, "bench: fleet of %d: %s\n", f.Runs, fmt.Sprintf(format, arguments...))
}

func (f *fleet) makeTarget(ctx context.Context) error {
	for _, object := range world() {
		if err := f.client.Create(ctx, object); err != nil {
			return fmt.Errorf("creating %T: %w", object, err)
		}
	}
	target := &benchv1alpha1.BenchmarkTarget{}
	return await(ctx, targetPatience, "the target", func() (bool, error) {
		err := f.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: targetName}, target)
		return apimeta.IsStatusConditionTrue(target.Status.Conditions, benchv1alpha1.TargetReady), errors.Join(err, f.sound())
	})
}

// instant is what the manager had done at one time.
type instant struct {
	at         time.Time
	reconciles Histogram
	cpu        float64
	requests   float64
	writes     Writes
	refused    Writes
}

func (f *fleet) look(ctx context.Context) (instant, error) {
	all, err := f.manager.metrics(ctx)
	if err != nil {
		return instant{}, err
	}
	seen := instant{
		at: time.Now(), cpu: all.sum("process_cpu_seconds_total"), requests: all.sum("rest_client_requests_total"),
		reconciles: all.histogram("controller_runtime_reconcile_time_seconds"),
	}
	seen.writes, seen.refused, err = f.server.audit.look()
	return seen, err
}

// measure makes the runs and waits until all have ended.
func (f *fleet) measure(ctx context.Context) error {
	if err := f.settle(ctx); err != nil {
		return err
	}
	before, err := f.look(ctx)
	if err != nil {
		return err
	}
	if err := createRuns(ctx, f.client, f.Runs); err != nil {
		return err
	}
	f.tell("created within %s", time.Since(before.at).Round(time.Millisecond))
	if err := f.awaitRuns(ctx); err != nil {
		return err
	}
	f.seen.Took = time.Since(before.at)
	if err := f.settle(ctx); err != nil {
		return err
	}
	after, err := f.look(ctx)
	if err != nil {
		return err
	}
	f.seen.AtOnce = f.node.atOnce()
	f.seen.Reconciles = after.reconciles.since(before.reconciles)
	f.seen.CPU = time.Duration((after.cpu - before.cpu) * float64(time.Second))
	f.seen.Requests = int(after.requests - before.requests)
	f.seen.Writes, f.seen.Refused = after.writes.since(before.writes), after.refused.since(before.refused)
	f.seen.Peak, f.seen.End, err = f.manager.Memory()
	return err
}

// awaitRuns waits until every run has succeeded and is cleaned up. It reads them one by one, for they end in the order
// in which they were made: to list a thousand again and again would cost the API server what the manager needs.
func (f *fleet) awaitRuns(ctx context.Context) error {
	told, came := time.Now(), time.Now()
	for ended := 0; ended < f.Runs; {
		next := run(ended)
		if err := errors.Join(f.client.Get(ctx, client.ObjectKeyFromObject(next), next), f.sound()); err != nil {
			return err
		}
		over, where, err := whereIs(next)
		switch {
		case err != nil:
			return err
		case over:
			came, ended = time.Now(), ended+1
			continue
		case time.Since(came) > stuckPatience:
			return fmt.Errorf("%d have ended, and none within %s; %s", ended, stuckPatience, where)
		case time.Since(told) >= tellEvery:
			told = time.Now()
			f.tell("%d have ended; %s", ended, where)
		}
		if err := process.Sleep(ctx, poll); err != nil {
			return err
		}
	}
	return nil
}

// settle waits until nothing is written any more.
func (f *fleet) settle(ctx context.Context) error {
	since, last := time.Now(), -1
	return await(ctx, quietPatience, "the manager to be quiet", func() (bool, error) {
		writes, _, err := f.server.audit.look()
		objects, events := writes.Count()
		if now := objects + events; now != last {
			since, last = time.Now(), now
		}
		return time.Since(since) >= quiet, errors.Join(err, f.sound())
	})
}

// measureIdle lets some time pass.
func (f *fleet) measureIdle(ctx context.Context) error {
	f.tell("all have ended after %s; nothing is touched for %s", f.seen.Took.Round(time.Second), f.Idle)
	var err error
	f.seen.Idle, err = f.written(func() error { return process.Sleep(ctx, f.Idle) })
	return err
}

// measureRestart starts another manager, which looks at every object.
func (f *fleet) measureRestart(ctx context.Context) error {
	f.tell("another manager looks at everything")
	var err error
	f.seen.Restart, err = f.written(func() error { return f.restart(ctx) })
	if err != nil {
		return err
	}
	peak, _, err := f.manager.Memory()
	f.seen.Peak = max(f.seen.Peak, peak)
	return err
}

// written is what the manager writes while something is done.
func (f *fleet) written(do func() error) (Writes, error) {
	before, _, err := f.server.audit.look()
	if err != nil {
		return nil, err
	}
	if err := do(); err != nil {
		return nil, err
	}
	after, _, err := f.server.audit.look()
	return after.since(before), errors.Join(err, f.sound())
}

func (f *fleet) restart(ctx context.Context) error {
	peak, _, err := f.manager.Memory()
	if err != nil {
		return err
	}
	f.seen.Peak = max(f.seen.Peak, peak)
	f.manager.stop()
	if f.manager, err = startManager(ctx, f.Manager, f.server.kubeconfig); err != nil {
		return err
	}
	// Every run, and the target.
	err = await(ctx, stuckPatience, "every object to be looked at", func() (bool, error) {
		seen, err := f.look(ctx)
		return seen.reconciles.Total() > float64(f.Runs), err
	})
	if err != nil {
		return err
	}
	return f.settle(ctx)
}

const (
	namespace  = "fleet"
	targetName = "elsewhere"
	uriKey     = "uri"
	documents  = runtest.Documents // What a load pod that is played reports.
	// atOnce is how many runs the queue is told to admit: as many as it admits on a node pool unless told otherwise. Each
	// has a database that no other has at that time.
	atOnce = 1
	// creationPause is the time between two runs that are made.
	creationPause = 100 * time.Millisecond
)

// world is what has to be there before the runs: a namespace, and a target that all of them measure.
func world() []client.Object {
	return []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: namespace, Name: targetName,
				Labels: map[string]string{naming.ConnectionLabel: naming.ConnectionAllowed},
			},
			StringData: map[string]string{uriKey: "mongodb://db.example.com"},
		},
		&benchv1alpha1.BenchmarkTarget{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: targetName},
			Spec: benchv1alpha1.BenchmarkTargetSpec{
				External: &benchv1alpha1.ExternalTarget{
					URISecretRef: benchv1alpha1.SecretKeyReference{Name: targetName, Key: uriKey},
				},
			},
		},
	}
}

// run is one of the fleet: it loads, warms up, and measures reads and updates.
func run(index int) *benchv1alpha1.BenchmarkRun {
	return &benchv1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("run-%04d", index)},
		Spec: benchv1alpha1.BenchmarkRunSpec{
			TargetRef:   &benchv1alpha1.NameReference{Name: targetName},
			Concurrency: &benchv1alpha1.Concurrency{Group: new("fleet"), Max: new(int32(atOnce))},
			Dataset: benchv1alpha1.Dataset{
				Database:    new(fmt.Sprintf("fleet%d", index%atOnce)),
				Collections: []benchv1alpha1.Collection{{Name: "people", DocumentCount: new(int64(documents))}},
			},
			Workload: benchv1alpha1.Workload{Steps: []benchv1alpha1.Step{{
				Name: "mixed", WarmupSeconds: new(int32(1)), DurationSeconds: new(int32(1)), Threads: new(int32(4)),
				Operations: []benchv1alpha1.Operation{
					{Name: "read", Request: benchv1alpha1.Request{Kind: benchv1alpha1.OperationFindOne}},
					{Name: "insert", Request: benchv1alpha1.Request{Kind: benchv1alpha1.OperationInsertOne}},
				},
			}}},
		},
	}
}

// createRuns makes all runs, far faster than they come to their ends.
func createRuns(ctx context.Context, c client.Client, count int) error {
	for index := range count {
		if err := c.Create(ctx, run(index)); err != nil {
			return fmt.Errorf("creating run %d: %w", index, err)
		}
		if err := process.Sleep(ctx, creationPause); err != nil {
			return err
		}
	}
	return nil
}

// whereIs says whether a run is over, and where it is when it is not.
func whereIs(run *benchv1alpha1.BenchmarkRun) (over bool, where string, err error) {
	verdict := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunSucceeded)
	if verdict != nil && verdict.Status == metav1.ConditionFalse {
		return false, "", fmt.Errorf("%s failed: %s: %s", run.Name, verdict.Reason, verdict.Message)
	}
	on := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunProgressing)
	if on == nil {
		return false, run.Name + " was not looked at", nil
	}
	return on.Status == metav1.ConditionFalse, fmt.Sprintf("%s is in %s: %s", run.Name, on.Reason, on.Message), nil
}
