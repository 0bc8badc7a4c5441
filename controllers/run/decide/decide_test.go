package decide

import (
	"maps"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

const (
	accepted    = benchv1alpha1.RunAccepted
	ready       = benchv1alpha1.RunTargetReady
	dataLoaded  = benchv1alpha1.RunDataLoaded
	progressing = benchv1alpha1.RunProgressing
	succeeded   = benchv1alpha1.RunSucceeded
	trust       = benchv1alpha1.RunTrusted

	isFalse = metav1.ConditionFalse
	isTrue  = metav1.ConditionTrue
)

// scenario is a history, and what is said of the run at its end.
type scenario struct {
	play func(*world)
	// want are conditions as "Status Reason".
	want map[string]string
	// says is part of the message of Succeeded.
	says string
}

// scenarios produce every reason that a run may have; TestEveryReasonIsProduced compares.
func scenarios() map[string]scenario {
	all := map[string]scenario{}
	for _, some := range []map[string]scenario{
		courseScenarios(), targetScenarios(), podScenarios(), deadlineScenarios(), reportScenarios(),
		actionScenarios(), queueScenarios(), kueueScenarios(), quotaScenarios(), salvageScenarios(), replacingScenarios(),
		serverScenarios(), gatewayScenarios(),
	} {
		maps.Copy(all, some)
	}
	return all
}

func TestDecide(t *testing.T) {
	for name, tc := range scenarios() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tc.play(w)
			w.settle()
			tc.check(w)
		})
	}
}

func (tc scenario) check(w *world) {
	w.t.Helper()
	for conditionType, want := range tc.want {
		if got := w.status(conditionType); got != want {
			w.t.Errorf("%s is %q, want %q; all conditions:\n%s", conditionType, got, want, w.describe())
		}
	}
	if said := condition.Find(w.Run.Status.Conditions, succeeded).Message; !strings.Contains(said, tc.says) {
		w.t.Errorf("Succeeded says %q, want it to contain %q", said, tc.says)
	}
}

// courseScenarios are the stages of a run that nothing happens to.
func courseScenarios() map[string]scenario {
	return map[string]scenario{
		"a new run waits for its target": {
			play: func(*world) {},
			want: map[string]string{
				accepted: "True Valid", ready: "False PodsStarting", dataLoaded: "False LoadPending",
				progressing: "True Provisioning", succeeded: "Unknown NotEnded", trust: "Unknown NotMeasured",
			},
		},
		"a run that finds its dataset in the target": {
			play: func(w *world) { w.toLoading(); w.loadPodsSay(runtest.StepRead, reportv1alpha1.DatasetClean, true) },
			want: map[string]string{dataLoaded: "True Reused", progressing: "True Measuring"},
		},
		"a run whose target is ready waits for its pods": {
			play: (*world).toJob,
			want: map[string]string{ready: "True TargetReady", progressing: "True Provisioning"},
		},
		"a run whose pods write documents is loading": {
			play: (*world).toLoading,
			want: map[string]string{dataLoaded: "False Loading", progressing: "True Loading"},
		},
		"a run whose pods wait to verify is still loading": {
			play: func(w *world) {
				w.toLoading()
				w.podSays(0, runtest.Progress(runtest.StepVerify, reportv1alpha1.ProgressRunning, 10))
				w.podSays(1, runtest.Progress(runtest.StepRead, reportv1alpha1.ProgressWaiting, 0))
			},
			want: map[string]string{dataLoaded: "False Loading", progressing: "True Loading"},
		},
		"a run whose pods all wait for a step with a warm-up has loaded": {
			play: func(w *world) {
				w.toLoading()
				w.allSay(runtest.StepRead, reportv1alpha1.ProgressWaiting, 0)
			},
			want: map[string]string{dataLoaded: "True Loaded", progressing: "True WarmingUp"},
		},
		"a run warms up until the last pod counts": {
			play: func(w *world) {
				w.toLoading()
				w.allSay(runtest.StepRead, reportv1alpha1.ProgressRunning, 10)
				warming := runtest.Progress(runtest.StepRead, reportv1alpha1.ProgressRunning, 0)
				warming.WarmingUp = true
				w.podSays(1, warming)
			},
			want: map[string]string{progressing: "True WarmingUp"},
		},
		"a run whose pods count is measuring": {
			play: (*world).toMeasuring,
			want: map[string]string{dataLoaded: "True Loaded", progressing: "True Measuring", succeeded: "Unknown NotEnded"},
		},
		"a run whose pods are done collects": {
			play: func(w *world) { w.collectorFails = true; w.toCollecting() },
			want: map[string]string{progressing: "True Collecting", succeeded: "Unknown NotEnded"},
		},
		"a run whose report is stored has succeeded, and cleans up while its pods end": {
			play: (*world).toVerdict,
			want: map[string]string{
				progressing: "True CleaningUp", succeeded: "True Completed", trust: "True NoConcern", ready: "True TargetReady",
			},
		},
		"a run of which nothing is left is finished": {
			play: func(w *world) { w.toVerdict(); w.Pods = nil },
			want: map[string]string{progressing: "False Finished", succeeded: "True Completed"},
		},
		"a run that makes no sense is rejected with the field's path": {
			play: func(w *world) { w.Run.Spec.Workload.Steps[0].Name = "load" },
			want: map[string]string{
				accepted: "False Invalid", succeeded: "False Invalid", progressing: "False Finished", trust: "Unknown NotMeasured",
			},
			says: "spec.workload.steps[0].name",
		},
	}
}

// reporting plays until both load pods have left their reports, changed.
func reporting(change func(*reportv1alpha1.Report)) func(*world) {
	return func(w *world) {
		w.toCollecting()
		for i := range 2 {
			report, err := runtest.Report(w.Run, i, w.Now)
			if err != nil {
				w.t.Fatal(err)
			}
			change(&report)
			encoded, err := result.Encode(report)
			if err != nil {
				w.t.Fatal(err)
			}
			w.reports[naming.PodConfigMap(w.Run.Name, i)] = encoded
		}
	}
}

// reportScenarios are what becomes of a run whose pods are done.
func reportScenarios() map[string]scenario {
	doubtful := func(change func(*reportv1alpha1.Step)) func(*world) {
		return reporting(func(r *reportv1alpha1.Report) { change(&r.Steps[len(r.Steps)-1]) })
	}
	return map[string]scenario{
		"a saturated generator makes the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) { s.Generator.BusiestPodPercent = 99 }),
			want: map[string]string{succeeded: "True Completed", trust: "False GeneratorSaturated"},
		},
		"pods that start apart make the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) { s.StartSkewMicros = 1_000_000 }),
			want: map[string]string{trust: "False StartSkew"},
		},
		"a clock that is set makes the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) { s.ClockStepMicros = 1_000_000 }),
			want: map[string]string{trust: "False ClockStepped"},
		},
		"times of one digit make the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) { s.Digits = 1 }),
			want: map[string]string{trust: "False CoarsePercentiles"},
		},
		"failed operations make the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) { s.Operations[0].Errors = 100 }),
			want: map[string]string{trust: "False OperationErrors"},
		},
		"operations that find nothing make the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) {
				s.Operations[0].Expect = &reportv1alpha1.Expectation{MinDocuments: 1, AllowedPercent: 1}
				s.Operations[0].Unexpected = s.Operations[0].Count
			}),
			want: map[string]string{trust: "False UnexpectedDocuments"},
		},
		"a run that keeps its objectives says so": {
			play: doubtful(func(s *reportv1alpha1.Step) {
				s.Objectives = []reportv1alpha1.Objective{{LimitMicros: 5, PercentMillis: 1000}}
				s.Operations[0].Within = []reportv1alpha1.Within{{LimitMicros: 5, Count: s.Operations[0].Count}}
			}),
			want: map[string]string{benchv1alpha1.RunObjectivesKept: "True Kept"},
		},
		"a run that misses an objective says so, and succeeds": {
			play: doubtful(func(s *reportv1alpha1.Step) {
				s.Objectives = []reportv1alpha1.Objective{{LimitMicros: 5, PercentMillis: 1000}}
				s.Operations[0].Within = []reportv1alpha1.Within{{LimitMicros: 5}}
			}),
			want: map[string]string{
				benchv1alpha1.RunObjectivesKept: "False Missed", benchv1alpha1.RunSucceeded: "True Completed",
			},
		},
		"a check of a flow that did not hold makes the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) {
				s.Operations[0].Checks = []reportv1alpha1.Check{{Name: "total", Made: s.Operations[0].Count, Failed: 1}}
			}),
			want: map[string]string{trust: "False ChecksFailed"},
		},
		"a search that misses too much makes the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) {
				s.Operations[0].Recall = &reportv1alpha1.Recall{Wanted: 9, Compared: 9, Exact: 90, Found: 80, MinPercent: 95}
			}),
			want: map[string]string{trust: "False LowRecall"},
		},
		"operations that were dropped make the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) {
				s.Arrivals = &reportv1alpha1.Arrivals{
					Process: "Constant", Due: 600, Dropped: 100, Lag: s.Operations[0].ServiceTime, WakeUp: s.Operations[0].ServiceTime,
				}
			}),
			want: map[string]string{trust: "False ScheduleNotKept"},
		},
		"a generator that is late itself makes the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) {
				s.Operations = s.Operations[:1]
				s.Operations[0].Count, s.Operations[0].ServiceTime = 1000, alike(1000, 10_000)
				s.Generator.Delay, s.Generator.ProbeMicros = alike(1000, 9000), 1000
			}),
			want: map[string]string{trust: "False GeneratorLate"},
		},
		"operations that wait for a thread make the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) {
				s.Arrivals = &reportv1alpha1.Arrivals{
					Process: "Constant", Due: 1000, Lag: alike(1000, 3_600_000), WakeUp: alike(1, 1),
				}
			}),
			want: map[string]string{trust: "False TooFewThreads"},
		},
		"a search that its threads limited makes the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) {
				s.Search = &reportv1alpha1.Search{Found: 100, LimitedBy: reportv1alpha1.LimitedByThreads}
			}),
			want: map[string]string{trust: "False SearchLimited"},
		},
		"a rare operation that takes all the threads' time makes the numbers doubtful": {
			play: func(w *world) {
				declared := &w.Run.Spec.Workload.Steps[1].Operations
				*declared = append(*declared, (*declared)[0])
				(*declared)[1].Name = "many"
				doubtful(func(s *reportv1alpha1.Step) {
					read := s.Operations[0]
					read.Name, read.Count, read.BusyMicros, read.ServiceTime = "many", 100_000, 1000, alike(100_000, 1)
					read.Intervals = nil
					s.Operations[0].BusyMicros = 1_000_000
					s.Operations = []reportv1alpha1.Operation{s.Operations[0], read}
				})(w)
			},
			want: map[string]string{trust: "False PacedMix"},
		},
		"threads that wait for connections make the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) { s.Traffic.CheckoutMicros = 1_000_000 }),
			want: map[string]string{trust: "False ConnectionPoolWaits"},
		},
		"idle connections that the server closes make the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) { s.IdleConnections, s.LostConnections = 9, 1 }),
			want: map[string]string{trust: "False ConnectionsLost"},
		},
		"a gateway without CPU to spare makes the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) {
				s.Gateways = []reportv1alpha1.Gateway{{Name: "g:7080", CPUPercent: 97}}
			}),
			want: map[string]string{trust: "False GatewaySaturated"},
		},
		"unacknowledged writes that cannot be waited for make the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) {
				s.Drain = &reportv1alpha1.Drain{Operations: []string{s.Operations[0].Name}, Failed: "it broke"}
			}),
			want: map[string]string{trust: "False WritesUnaccounted"},
		},
		"a throughput that never becomes steady makes the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) { s.Steady = &reportv1alpha1.Steady{VariationPercent: 40} }),
			want: map[string]string{trust: "False NotSteady"},
		},
		"shards of different shares make the numbers doubtful": {
			play: doubtful(func(s *reportv1alpha1.Step) {
				s.Kind, s.Operations, s.ImbalancePercent, s.MaxImbalancePercent = "Balance", nil, 50, 20
			}),
			want: map[string]string{trust: "False Imbalance"},
		},
		"a report that does not come is waited for": {
			play: func(w *world) { w.collectorFails = true; w.toCollecting(); w.settle(); w.pass(23 * time.Hour) },
			want: map[string]string{succeeded: "Unknown NotEnded", progressing: "True Collecting"},
		},
		"a report that never comes fails the run": {
			play: func(w *world) { w.collectorFails = true; w.toCollecting(); w.settle(); w.pass(24 * time.Hour) },
			want: map[string]string{succeeded: "False ReportMissing", trust: "Unknown NotMeasured", dataLoaded: "True Loaded"},
			says: "spec.deadlines.storingSeconds is over",
		},
		"reports that are not there fail the run": {
			play: (*world).toCollecting,
			want: map[string]string{succeeded: "False ReportMissing", trust: "Unknown NotMeasured", dataLoaded: "True Loaded"},
			says: "r-pod-0: it holds no report",
		},
		"reports that are missing when all pods have ended fail the run": {
			play: func(w *world) {
				w.collectorFails = true
				w.toMeasuring()
				w.jobSays(batchv1.JobComplete, "", "")
				w.settle()
				w.pass(collectorGrace)
			},
			want: map[string]string{succeeded: "False ReportMissing"},
			says: "without a report",
		},
		"what is left of load pod 0 is collected by another pod": {
			play: func(w *world) {
				w.toCollecting()
				w.reportAll()
				w.endPod(0, corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"})
				w.settle()
				w.pass(collectorGrace)
			},
			want: map[string]string{succeeded: "True Completed"},
		},
		"a collector that cannot do it fails the run": {
			play: func(w *world) {
				w.collectorFails = true
				w.toCollecting()
				w.reportAll()
				w.endPod(0, corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"})
				w.settle()
				w.pass(collectorGrace)
				w.settle()
				w.CollectJob.Status.Conditions = append(w.CollectJob.Status.Conditions, batchv1.JobCondition{
					Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonBackoffLimitExceeded,
				})
			},
			want: map[string]string{succeeded: "False ReportMissing"},
			says: "BackoffLimitExceeded",
		},
		"a report that is broken fails the run": {
			play: func(w *world) {
				w.toCollecting()
				w.reportAll()
				w.reports[naming.PodConfigMap(w.Run.Name, 1)] = []byte("broken")
				w.jobSays(batchv1.JobComplete, "", "")
			},
			want: map[string]string{succeeded: "False ReportMissing"},
			says: "r-pod-1",
		},
		"what a collector tells of another plan fails the run": {
			play: func(w *world) {
				w.toCollecting()
				w.ConfigMaps["r-collected"].Data = map[string]string{
					reportv1alpha1.CollectedKey: `{"version":"` + reportv1alpha1.Version + `","planHash":"x","summary":{}}`,
				}
			},
			want: map[string]string{succeeded: "False ReportMissing"},
			says: "r-collected: the report is of another plan",
		},
		"a load pod that ends well without a report fails the run": {
			play: func(w *world) {
				w.toMeasuring()
				w.endPod(0, corev1.PodSucceeded, corev1.ContainerStateTerminated{})
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "False ReportMissing"},
			says: "r-load-0",
		},
		"a report that cannot be stored for a long time is kept": {
			play: func(w *world) {
				w.trouble = "exceeded quota"
				w.toCollecting()
				w.reportAll()
				w.settle()
				w.pass(23 * time.Hour)
			},
			want: map[string]string{succeeded: "Unknown NotEnded", progressing: "True Collecting"},
		},
		"a report that cannot be stored fails the run in the end": {
			play: func(w *world) {
				w.trouble = "exceeded quota"
				w.toCollecting()
				w.reportAll()
				w.settle()
				w.pass(24 * time.Hour)
			},
			want: map[string]string{succeeded: "False ReportMissing"},
			says: "exceeded quota",
		},
		"a Job that is deleted once every pod is done does not matter": {
			play: func(w *world) { w.toCollecting(); w.reportAll(); w.lose("Job") },
			want: map[string]string{succeeded: "True Completed"},
		},
		"what happens to the target once every pod is done does not matter": {
			play: func(w *world) {
				w.toCollecting()
				w.reportAll()
				w.targetSays(benchv1alpha1.TargetReady, isFalse, benchv1alpha1.ReasonOOMKilled, "killed")
			},
			want: map[string]string{succeeded: "True Completed"},
		},
	}
}

// alike is a histogram of so many equal times, as a report holds it.
func alike(count, micros int64) string {
	histogram := reportv1alpha1.NewHistogram()
	_ = histogram.RecordValues(micros, count)
	encoded, _ := reportv1alpha1.EncodeHistogram(histogram)
	return encoded
}
