//go:build soak

package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const (
	// endTime is within what a run must end: the sum of its deadlines, with something to spare.
	endTime = 17 * time.Minute
	// removalTime is within what everything of a run must be gone after its end.
	removalTime = time.Minute
	// emptyTime is within what the namespaces of all runs must be gone.
	emptyTime = 3 * time.Minute
)

// settings are those of the environment.
type settings struct {
	duration time.Duration
	seed     uint64
	runs     int
}

func TestSoak(t *testing.T) {
	asked := readSettings(t)
	cluster, err := harness.Connect()
	if err != nil {
		t.Fatal(err)
	}
	tell("SOAK=%s SOAK_SEED=%d SOAK_RUNS=%d", asked.duration, asked.seed, asked.runs)
	killer := &Killer{
		cluster: cluster, tell: tell, kills: map[string][]Kill{},
		random: rand.New(rand.NewPCG(asked.seed, 0)),
	}
	outcomes := &Outcomes{counts: map[[2]string]int{}, kills: map[[2]string]int{}}
	ctx, stop := context.WithTimeout(t.Context(), asked.duration)
	defer stop()

	var workers sync.WaitGroup
	var number atomic.Uint64
	for range asked.runs {
		workers.Go(func() {
			for ctx.Err() == nil {
				own := number.Add(1)
				kind, run := Draw(rand.New(rand.NewPCG(asked.seed, own)))
				t.Run(fmt.Sprintf("%d %s", own, kind.Name), func(t *testing.T) { //nolint:contextcheck // It is the test's.
					one := soaked{Namespace: cluster.Namespace(t), kind: kind, run: run}
					one.see(t, killer, outcomes)
				})
			}
		})
	}
	killer.Run(ctx)
	workers.Wait()
	tell("the manager was deleted %d times", killer.managers)
	if err := outcomes.write(os.Stdout); err != nil {
		t.Error(err)
	}
	checkNothingLeft(t, cluster)
}

// soaked is one run.
type soaked struct {
	*harness.Namespace

	kind Kind
	run  *benchv1alpha1.BenchmarkRun
}

// see sees a run to its end, judges what it says, and looks for what it left.
func (n soaked) see(t *testing.T, killer *Killer, outcomes *Outcomes) {
	t.Helper()
	kind, run := n.kind, n.run
	killer.watch(n.Name)
	n.Apply(t, run)
	began := time.Now()
	err := harness.Poll(t.Context(), endTime, func(ctx context.Context) (bool, string, error) {
		err := n.Get(ctx, client.ObjectKeyFromObject(run), run)
		return harness.HasVerdict(run), harness.Describe(run.Status.Conditions), err
	})
	kills := killer.spare(n.Name)
	if err != nil {
		outcomes.add(kind.Name, "no end", kills, true)
		t.Fatalf("waiting for a run to end: %v", err)
	}
	outcome := n.outcome(t)
	wrong := Judge(outcome, kills, kind.Tolerant)
	outcomes.add(kind.Name, outcome.Reason, kills, wrong != "")
	tell("%-28s %5.1f s  %s: %s  deleted: %v", strings.TrimPrefix(t.Name(), "TestSoak/"), time.Since(began).Seconds(),
		outcome.Reason, outcome.Message, kills)
	if wrong != "" {
		tell("  THAT IS WRONG: %s", wrong)
		t.Errorf("%s %s: %s\n%s: %s\ndeleted: %v", kind.Name, run.Spec.Target.MongoDB.Version, wrong, outcome.Reason,
			outcome.Message, kills)
	}
	n.checkGone(t, outcome)
}

// checkGone waits until nothing is left of a run but its report.
func (n soaked) checkGone(t *testing.T, outcome Outcome) {
	t.Helper()
	var stays []string
	if outcome.Succeeded {
		stays = append(stays, "ConfigMap "+n.run.Status.Result.Report.ConfigMapName)
	}
	n.WaitLeft(t, removalTime, stays...)
	err := harness.Poll(t.Context(), removalTime, func(ctx context.Context) (bool, string, error) {
		volumes, err := n.Volumes(ctx)
		return len(volumes) == 0, fmt.Sprint("volumes ", volumes), err
	})
	if err != nil {
		t.Errorf("waiting for the volumes of a run to go: %v", err)
	}
}

// outcome is what a run says of its end.
func (n soaked) outcome(t *testing.T) Outcome {
	t.Helper()
	verdict := apimeta.FindStatusCondition(n.run.Status.Conditions, benchv1alpha1.RunSucceeded)
	outcome := Outcome{
		Succeeded: apimeta.IsStatusConditionTrue(n.run.Status.Conditions, benchv1alpha1.RunSucceeded),
		Reason:    verdict.Reason, Message: verdict.Message,
	}
	if outcome.Succeeded {
		steps := n.Report(t, n.run).Steps
		outcome.MeasuredUntil = steps[len(steps)-1].End
		first := slices.IndexFunc(steps, func(s reportv1alpha1.Step) bool { return s.Kind == reportv1alpha1.KindMeasure })
		outcome.MeasuredFrom = steps[max(first, 0)].Start
	}
	return outcome
}

// checkNothingLeft looks for namespaces, and for processes whose pods are gone.
func checkNothingLeft(t *testing.T, cluster *harness.Cluster) {
	t.Helper()
	err := harness.Poll(t.Context(), emptyTime, func(ctx context.Context) (bool, string, error) {
		namespaces, err := cluster.NamespacesLike(ctx, harness.Slug("TestSoak"))
		if err != nil || len(namespaces) > 0 {
			return false, fmt.Sprint("namespaces ", namespaces), err
		}
		orphans, err := cluster.Orphans(ctx)
		return len(orphans) == 0, fmt.Sprint("processes without a pod ", orphans), err
	})
	if err != nil {
		t.Errorf("something is left: %v", err)
	}
}

func readSettings(t *testing.T) settings {
	t.Helper()
	read := settings{duration: 30 * time.Minute, seed: uint64(time.Now().UnixNano()), runs: 3}
	var err error
	if text := os.Getenv("SOAK"); text != "" {
		if read.duration, err = time.ParseDuration(text); err != nil {
			t.Fatalf("SOAK: %v", err)
		}
	}
	if text := os.Getenv("SOAK_SEED"); text != "" {
		if read.seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("SOAK_SEED: %v", err)
		}
	}
	if text := os.Getenv("SOAK_RUNS"); text != "" {
		if read.runs, err = strconv.Atoi(text); err != nil {
			t.Fatalf("SOAK_RUNS: %v", err)
		}
	}
	return read
}

// tell prints at once, which a test's log does not.
func tell(format string, values ...any) {
	fmt.Printf(time.Now().Format(time.TimeOnly)+" "+format+"\n", values...)
}
