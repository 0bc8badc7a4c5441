package decide

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// lasted is a stage with its times, in seconds after birth; an end of 0 is none.
func lasted(name string, start, end int) benchv1alpha1.StageStatus {
	at := func(seconds int) metav1.MicroTime {
		return metav1.NewMicroTime(birth.Add(time.Duration(seconds) * time.Second))
	}
	s := benchv1alpha1.StageStatus{Name: name, StartTime: at(start)}
	if end > 0 {
		s.CompletionTime = new(at(end))
	}
	return s
}

func TestEnter(t *testing.T) {
	type list = []benchv1alpha1.StageStatus
	cases := map[string]struct {
		before list
		enter  string
		want   list
	}{
		"the first stage begins": {
			enter: "Provisioning",
			want:  list{lasted("Provisioning", 9, 0)},
		},
		"a stage that lasts keeps its start": {
			before: list{lasted("Provisioning", 1, 0)}, enter: "Provisioning",
			want: list{lasted("Provisioning", 1, 0)},
		},
		"the next stage ends the one before": {
			before: list{lasted("Provisioning", 1, 0)}, enter: "Loading",
			want: list{lasted("Provisioning", 1, 9), lasted("Loading", 9, 0)},
		},
		"stages that went by unseen took no time, and a warm-up that was not seen was none": {
			before: list{lasted("Provisioning", 1, 0)}, enter: "Collecting",
			want: list{
				lasted("Provisioning", 1, 9), lasted("Loading", 9, 9), lasted("Measuring", 9, 9), lasted("Collecting", 9, 0),
			},
		},
		"a warm-up between two steps goes on": {
			before: list{lasted("Loading", 1, 2), lasted("WarmingUp", 2, 3), lasted("Measuring", 3, 0)}, enter: "WarmingUp",
			want: list{
				lasted("Loading", 1, 2), lasted("WarmingUp", 2, 0), lasted("Measuring", 3, 9), lasted("Provisioning", 9, 9),
			},
		},
		"a failure leads to CleaningUp from anywhere": {
			before: list{lasted("Provisioning", 1, 0)}, enter: "CleaningUp",
			want: list{lasted("Provisioning", 1, 9), lasted("CleaningUp", 9, 0)},
		},
		"the end ends the last stage and is none": {
			before: list{lasted("CleaningUp", 1, 0)}, enter: "Finished",
			want: list{lasted("CleaningUp", 1, 9)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := enter(tc.before, tc.enter, birth.Add(9*time.Second))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("stages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGate(t *testing.T) {
	const waiting, running = reportv1alpha1.ProgressWaiting, reportv1alpha1.ProgressRunning
	start := planv1alpha1.FormatStart(birth.Add(time.Minute + time.Second))
	cases := map[string]struct {
		first, second reportv1alpha1.Progress
		published     map[string]string
		want          map[string]string
	}{
		"all pods that wait for a step are let go a second later": {
			first: runtest.Progress(1, waiting, 0), second: runtest.Progress(1, waiting, 0),
			want: map[string]string{"start-1": start},
		},
		"a pod that lags holds the others": {
			first: runtest.Progress(0, running, 0), second: runtest.Progress(1, waiting, 0),
		},
		"a pod that has no part in a step does not hold the one that has": {
			first: runtest.Progress(0, waiting, 0), second: runtest.Progress(1, waiting, 0),
			want: map[string]string{"start-0": start},
		},
		"a pod that has not seen the start yet does not move it": {
			first: runtest.Progress(1, running, 0), second: runtest.Progress(1, waiting, 0),
			published: map[string]string{"start-1": "17"},
			want:      map[string]string{"start-1": "17"},
		},
		"what was published stays": {
			first: runtest.Progress(3, waiting, 0), second: runtest.Progress(3, waiting, 0),
			published: map[string]string{"start-1": "17"},
			want:      map[string]string{"start-1": "17", "start-3": start},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.toJob()
			w.startPods()
			w.Now = birth.Add(time.Minute)
			gate := w.ConfigMaps[naming.GateConfigMap("r")]
			gate.Data, gate.ResourceVersion = tc.published, "7"
			w.podSays(0, tc.first)
			w.podSays(1, tc.second)
			v, err := look(&w.Observation)
			if err != nil {
				t.Fatal(err)
			}
			got := gateConfigMap(v)
			if diff := cmp.Diff(tc.want, got.Data); diff != "" {
				t.Errorf("gate (-want +got):\n%s", diff)
			}
			if got.ResourceVersion != "7" {
				t.Errorf("the gate rests on version %q, want the observed one", got.ResourceVersion)
			}
		})
	}
}

func TestProgressOverAllPods(t *testing.T) {
	const waiting, running = reportv1alpha1.ProgressWaiting, reportv1alpha1.ProgressRunning
	cases := map[string]struct {
		first, second reportv1alpha1.Progress
		step          string
		percent       int32
		rate          int64
	}{
		"the percents' mean and the rates' sum": {
			first: runtest.Progress(1, running, 20), second: runtest.Progress(1, running, 40),
			step: "load", percent: 30, rate: 6000,
		},
		"a pod that is further counts as done": {
			first: runtest.Progress(1, running, 20), second: runtest.Progress(2, waiting, 0),
			step: "load", percent: 60, rate: 2000,
		},
		"a pod that waits counts as not begun": {
			first: runtest.Progress(1, running, 20), second: runtest.Progress(1, waiting, 0),
			step: "load", percent: 10, rate: 2000,
		},
		"verifying is the first pod's work alone": {
			first: runtest.Progress(2, running, 20), second: runtest.Progress(3, waiting, 0),
			step: "verify", percent: 20, rate: 2000,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.toJob()
			w.startPods()
			w.podSays(0, tc.first)
			w.podSays(1, tc.second)
			w.settle()
			want := &benchv1alpha1.Progress{Step: tc.step, Percent: &tc.percent, OperationsPerSecond: &tc.rate}
			if diff := cmp.Diff(want, w.Run.Status.Progress); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWait(t *testing.T) {
	cases := map[string]struct {
		play func(*world)
		want time.Duration
	}{
		"a target is waited for until its own deadline": {func(w *world) { w.settle() }, 660 * time.Second},
		"a Job is given a moment to make its pods":      {(*world).toJob, podCreation},
		"pods that cannot be made are looked after": {
			func(w *world) { w.toJob(); w.pass(5 * time.Second) }, pollPeriod,
		},
		"pods are waited for until the deadline": {
			func(w *world) { w.toJob(); w.startPods(); w.pass(10 * time.Second) }, 290 * time.Second,
		},
		"progress is copied at its own pace":        {(*world).toLoading, progressPeriod},
		"reports are looked for":                    {(*world).toCollecting, pollPeriod},
		"objects that are removed are looked after": {(*world).toVerdict, pollPeriod},
		"a finished run is left alone":              {func(w *world) { w.toVerdict(); w.Pods = nil }, 0},
		"what is kept for a time is looked after then": {
			func(w *world) {
				w.Run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
				w.Run.Spec.KeepSeconds = new(int32(60))
				w.toVerdict()
				w.pass(20 * time.Second)
			}, 40 * time.Second,
		},
		"a pod's failure is looked at again when a better cause had its time": {
			func(w *world) {
				w.toMeasuring()
				w.pass(time.Second)
				w.jobSays("Failed", "BackoffLimitExceeded", "")
				w.pass(4 * time.Second)
			}, time.Second,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tc.play(w)
			if got := w.settle().Wait; got != tc.want {
				t.Errorf("waits %s, want %s", got, tc.want)
			}
		})
	}
}

// TestADeadlineMayBeExtended gives a load more time while it goes on, and then less.
func TestADeadlineMayBeExtended(t *testing.T) {
	w := newWorld(t)
	w.toLoading()
	w.Run.Spec.Deadlines = &benchv1alpha1.Deadlines{LoadingSeconds: new(int32(3 * 3600))}
	w.pass(2 * time.Hour)
	w.settle()
	if got := w.status(progressing); got != "True Loading" {
		t.Errorf("with three hours Progressing is %q after two:\n%s", got, w.describe())
	}
	if limit := *w.Job.Spec.ActiveDeadlineSeconds; limit < 30*24*3600 {
		t.Errorf("the Job ends its pods after %d seconds, which no deadline of the run changes", limit)
	}
	w.Run.Spec.Deadlines.LoadingSeconds = new(int32(3600))
	w.settle()
	if got := w.status(succeeded); got != "False DeadlineExceeded" {
		t.Errorf("with one hour Succeeded is %q after two", got)
	}
}
