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
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// A target of these tests has 60 s to become ready.
const (
	inTime  = 30 * time.Second
	tooLate = 61 * time.Second
)

// decided is the decision on an observation of which the objects can be made.
func decided(o Observation) Decision {
	decision := Decide(o)
	if decision.Trouble != nil {
		panic(decision.Trouble)
	}
	return decision
}

// starting is a set of three that was accepted at start, with its pods and Job and nothing happening to them yet.
func starting(after time.Duration) Observation {
	o := observe(targettest.ReplicaSet("bench", "set", 3))
	decision := decided(o)
	o.Target.Status = decision.Status
	o.Now = start.Add(after)
	o.TopologyJob = &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "set-topology"}}
	o.TopologyResult = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "set-topology-result"}}
	for i := range 3 {
		o.MemberPods = append(o.MemberPods, targettest.MemberPod(o.Target, naming.ReplicaSet, i))
	}
	o.TopologyPods = []corev1.Pod{targettest.TopologyPod(o.Target)}
	return o
}

// ready is the same set 10 s later, answered for; then more time passes.
func ready(after time.Duration) Observation {
	o := starting(10 * time.Second)
	for i := range o.MemberPods {
		targettest.Ready(&o.MemberPods[i], start.Add(5*time.Second))
	}
	o.TopologyResult.Data = targettest.Answer()
	decision := decided(o)
	o.Target.Status = decision.Status
	o.TopologyJob.Status = targettest.JobComplete(start, o.Now.Add(time.Second))
	o.Now = start.Add(after)
	return o
}

func external(after time.Duration, found SecretState) Observation {
	o := observe(targettest.External("bench", "theirs"))
	o.External[0].State = found
	decision := decided(o)
	o.Target.Status = decision.Status
	o.Now = start.Add(after)
	return o
}

func invalid() Observation {
	target := targettest.Standalone("bench", "alone", "6.0.5")
	target.Spec.MongoDB.Resources = targettest.Requests("8", "")
	return observe(target)
}

func with(o Observation, change func(*Observation)) Observation {
	change(&o)
	return o
}

type want struct {
	reason  string
	stalled bool
	message string
}

type readinessCase struct {
	o    Observation
	want want
}

// readinessCases are all that a target's readiness may be, and why.
func readinessCases() map[string]readinessCase {
	return map[string]readinessCase{
		"nothing has happened yet": {
			o:    starting(inTime),
			want: want{reason: benchv1alpha1.ReasonPodsStarting, message: "0 of 3 members are ready"},
		},
		"nothing has happened by the deadline": {
			o: starting(tooLate),
			want: want{
				benchv1alpha1.ReasonDeadlineExceeded, true,
				"not ready within 60 s (spec.mongodb.provisioningSeconds): 0 of 3 members are ready; not ready: set-mongod-0, " +
					"set-mongod-1, set-mongod-2",
			},
		},
		"a pod that no node takes is waited for": {
			o:    with(starting(inTime), func(o *Observation) { targettest.Unschedulable(&o.MemberPods[1]) }),
			want: want{reason: benchv1alpha1.ReasonUnschedulable, message: "pod set-mongod-1: 0/3 nodes are available"},
		},
		"a pod that no node takes ends the wait at the deadline": {
			o:    with(starting(tooLate), func(o *Observation) { targettest.Unschedulable(&o.MemberPods[1]) }),
			want: want{benchv1alpha1.ReasonUnschedulable, true, "within 60 s"},
		},
		"a container that ran out of memory ends the wait at once": {
			o: with(starting(inTime), func(o *Observation) {
				targettest.Restarted(&o.MemberPods[2], o.Now, corev1.ContainerStateTerminated{Reason: "OOMKilled"})
			}),
			want: want{benchv1alpha1.ReasonOOMKilled, true, "pod set-mongod-2, container mongod: killed for lack of memory"},
		},
		"a name that is no image ends the wait at once": {
			o: with(starting(inTime), func(o *Observation) {
				targettest.Waiting(&o.MemberPods[0], "InvalidImageName", "couldn't parse")
			}),
			want: want{benchv1alpha1.ReasonImagePull, true, "couldn't parse"},
		},
		"a specification that makes no sense": {
			o:    invalid(),
			want: want{benchv1alpha1.ReasonNotAccepted, true, "the specification is invalid"},
		},
		"a member that ends over and over is waited for": {
			o: with(starting(inTime), func(o *Observation) {
				targettest.Waiting(&o.MemberPods[0], "CrashLoopBackOff", "back-off 10s")
			}),
			want: want{reason: benchv1alpha1.ReasonCrashed, message: "back-off 10s"},
		},
		"a member that ended with an error and was started again is not just late": {
			o: with(starting(tooLate), func(o *Observation) {
				ended := corev1.ContainerStateTerminated{ExitCode: 2, Message: "unknown option"}
				targettest.Restarted(&o.MemberPods[0], o.Now, ended)
				o.MemberPods[0].Status.Conditions[0].Status = corev1.ConditionFalse
				o.MemberPods[0].Status.ContainerStatuses[0].Ready = false
			}),
			want: want{benchv1alpha1.ReasonCrashed, true, "container mongod: unknown option, and was started again"},
		},
		"a Secret that a member mounts is gone": {
			o: with(starting(inTime), func(o *Observation) {
				targettest.Waiting(&o.MemberPods[0], "CreateContainerConfigError", "secret not found")
			}),
			want: want{reason: benchv1alpha1.ReasonConfigError, message: "secret not found"},
		},
		"a quota may be raised": {
			o: with(starting(inTime), func(o *Observation) {
				o.MemberPods = nil
				o.FailedCreates = []corev1.Event{targettest.FailedCreate("bench", "exceeded quota: small")}
			}),
			want: want{reason: benchv1alpha1.ReasonQuotaExceeded, message: "exceeded quota: small"},
		},
		"what the API server refused is told": {
			o: with(starting(inTime), func(o *Observation) {
				o.ApplyFault = podfault.Fault{Reason: benchv1alpha1.ReasonForbidden, Message: "no"}
			}),
			want: want{reason: benchv1alpha1.ReasonForbidden, message: "no"},
		},
		"the topology Job's pod has an image fault": {
			o: with(starting(inTime), func(o *Observation) {
				targettest.Waiting(&o.TopologyPods[0], "ImagePullBackOff", "no such image")
			}),
			want: want{reason: benchv1alpha1.ReasonImagePull, message: "no such image"},
		},
		"the members run and the topology is being made": {
			o: with(starting(inTime), func(o *Observation) {
				for i := range o.MemberPods {
					targettest.Ready(&o.MemberPods[i], start)
				}
			}),
			want: want{reason: benchv1alpha1.ReasonTopologyPending, message: "the replica set and its users are being made"},
		},
		"the topology is being made after its Job lost pods": {
			o: with(starting(inTime), func(o *Observation) {
				for i := range o.MemberPods {
					targettest.Ready(&o.MemberPods[i], start)
				}
				o.TopologyJob.Status.Failed = 2
			}),
			want: want{
				reason: benchv1alpha1.ReasonTopologyPending, message: "Job set-topology had to begin again, 2 of its pods failed",
			},
		},
		"the topology Job gave up": {
			o: with(starting(inTime), func(o *Observation) {
				targettest.Failed(&o.TopologyPods[0], "no primary was elected within 60 s")
				o.TopologyJob.Status = targettest.JobFailed()
			}),
			want: want{benchv1alpha1.ReasonTopologyFailed, true, "no primary was elected within 60 s"},
		},
		"a fault of the members explains why the topology Job gave up": {
			o: with(starting(inTime), func(o *Observation) {
				targettest.Unschedulable(&o.MemberPods[1])
				targettest.Failed(&o.TopologyPods[0], "member set-mongod-1 does not answer")
				o.TopologyJob.Status = targettest.JobFailed()
			}),
			want: want{benchv1alpha1.ReasonUnschedulable, true, "Insufficient memory"},
		},
		"the topology Job failed and left no pod": {
			o: with(starting(inTime), func(o *Observation) {
				o.TopologyPods = nil
				o.TopologyJob.Status = targettest.JobFailed()
			}),
			want: want{benchv1alpha1.ReasonTopologyFailed, true, "Job set-topology failed: PodFailurePolicy"},
		},
		"the answer of the topology Job cannot be read": {
			o: with(starting(inTime), func(o *Observation) {
				o.TopologyResult.Data = map[string]string{reportv1alpha1.TopologyKey: `{"version":"another"}`}
			}),
			want: want{benchv1alpha1.ReasonTopologyFailed, true, "cannot be read"},
		},
		"all members run and the topology Job has answered": {
			o:    ready(20 * time.Second),
			want: want{reason: benchv1alpha1.ReasonReady, message: "replica set rs0 of 3 members is ready"},
		},
		"a ready target stays so after its deadline": {
			o:    ready(24 * time.Hour),
			want: want{reason: benchv1alpha1.ReasonReady},
		},
		"a member restarts after the target was ready": {
			o: with(ready(time.Hour), func(o *Observation) {
				targettest.Restarted(&o.MemberPods[0], o.Now, corev1.ContainerStateTerminated{ExitCode: 14})
			}),
			want: want{
				benchv1alpha1.ReasonMemberRestarted, true,
				"pod set-mongod-0, container mongod ended after the target was ready: exit code 14",
			},
		},
		"a restart before the target was ready is not held against it": {
			o: with(ready(time.Hour), func(o *Observation) {
				targettest.Restarted(&o.MemberPods[0], start.Add(4*time.Second), corev1.ContainerStateTerminated{ExitCode: 14})
			}),
			want: want{reason: benchv1alpha1.ReasonReady},
		},
		"a member of a ready target runs out of memory": {
			o: with(ready(time.Hour), func(o *Observation) {
				targettest.Restarted(&o.MemberPods[0], o.Now, corev1.ContainerStateTerminated{Reason: "OOMKilled"})
			}),
			want: want{benchv1alpha1.ReasonOOMKilled, true, "its limit is 1Gi; raise resources.memory"},
		},
		"a member of a ready target is deleted": {
			o:    with(ready(time.Hour), func(o *Observation) { o.MemberPods = o.MemberPods[:2] }),
			want: want{benchv1alpha1.ReasonMemberRestarted, true, "pod set-mongod-2 was deleted"},
		},
		"a member of a ready target was replaced": {
			o: with(ready(time.Hour), func(o *Observation) {
				o.MemberPods[1].CreationTimestamp = metav1.NewTime(o.Now)
			}),
			want: want{benchv1alpha1.ReasonMemberRestarted, true, "pod set-mongod-1 was replaced"},
		},
		"a silent node makes a target unready, and no more": {
			o:    with(ready(time.Hour), func(o *Observation) { targettest.NodeLost(&o.MemberPods[1]) }),
			want: want{reason: benchv1alpha1.ReasonNodeLost, message: "its node node-1 does not answer"},
		},
		"the Secret of an external target is waited for": {
			o: external(inTime, SecretMissing),
			want: want{reason: benchv1alpha1.ReasonSecretNotFound, message: "no Secret elsewhere with the label " +
				"mongobench.dev/connection: \"true\" exists; create it, with the connection string under the key uri"},
		},
		"the key of an external target's Secret is missing at the deadline": {
			o:    external(tooLate, SecretKeyMissing),
			want: want{benchv1alpha1.ReasonSecretNotFound, true, "Secret elsewhere has no key uri"},
		},
		"a certificate of an external target is waited for": {
			o: with(observe(externalByTLS()), func(o *Observation) { o.External[2].State = SecretMissing }),
			want: want{reason: benchv1alpha1.ReasonSecretNotFound, message: `no Secret shown with the label ` +
				`mongobench.dev/connection: "true" exists; create it, with the client's certificate under the key tls.crt`},
		},
		"a certificate of an external target has no key": {
			o: with(observe(externalByTLS()), func(o *Observation) { o.External[3].State = SecretKeyMissing }),
			want: want{reason: benchv1alpha1.ReasonSecretNotFound, message: "Secret shown has no key tls.key; put the key of " +
				"the client's certificate there"},
		},
		"an external target is looked at": {
			o:    external(inTime, SecretFound),
			want: want{reason: benchv1alpha1.ReasonTopologyPending, message: "the database is being looked at"},
		},
		"an external target answered": {
			o: with(external(inTime, SecretFound), func(o *Observation) {
				o.TopologyResult = &corev1.ConfigMap{Data: targettest.Answer()}
			}),
			want: want{reason: benchv1alpha1.ReasonReady, message: "the database answers"},
		},
	}
}

func allCases() map[string]readinessCase {
	all := readinessCases()
	maps.Copy(all, shardedCases())
	maps.Copy(all, certificateCases())
	maps.Copy(all, communityCases())
	maps.Copy(all, queueCases())
	return all
}

func TestReadiness(t *testing.T) {
	for name, tc := range allCases() {
		t.Run(name, func(t *testing.T) {
			decision := decided(tc.o)
			tc.check(t, decision)
		})
	}
}

func (tc readinessCase) check(t *testing.T, decision Decision) {
	t.Helper()
	c := condition.Find(decision.Status.Conditions, benchv1alpha1.TargetReady)
	if c.Reason != tc.want.reason || !strings.Contains(c.Message, tc.want.message) {
		t.Errorf("Ready: %s: %q, want %s: %q", c.Reason, c.Message, tc.want.reason, tc.want.message)
	}
	isReady := c.Status == metav1.ConditionTrue
	if isReady != (tc.want.reason == benchv1alpha1.ReasonReady) {
		t.Errorf("Ready is %s", c.Status)
	}
	stalled := condition.IsTrue(decision.Status.Conditions, benchv1alpha1.TargetStalled)
	if stalled != tc.want.stalled {
		t.Errorf("Stalled is %t", stalled)
	}
	// No watch tells of what another operator deploys, so that it is looked at for as long as it is there.
	onItsWay := tc.o.Target.Status.Connection == nil && !isReady && c.Reason != benchv1alpha1.ReasonQueued
	if waits := decision.Wait > 0; waits != (!stalled && (onItsWay || ByCommunity(tc.o.Target.Spec))) {
		t.Errorf("looks again after %s", decision.Wait)
	}
}

func TestStalledIsFinal(t *testing.T) {
	o := starting(tooLate)
	decision := decided(o)
	o.Target.Status = decision.Status
	for i := range o.MemberPods {
		targettest.Ready(&o.MemberPods[i], o.Now)
	}
	o.TopologyResult.Data = targettest.Answer()
	again := decided(o)
	if !condition.IsTrue(again.Status.Conditions, benchv1alpha1.TargetStalled) || again.Status.Connection != nil {
		t.Errorf("the target came back: %+v", again.Status)
	}
	if len(again.Desired) != len(decision.Desired) {
		t.Error("what is left of a stalled target is removed")
	}
}

func TestConnectionNamesEveryMember(t *testing.T) {
	const replicaSet = "mongodb://set-mongod-0.set-members.bench.svc:27017,set-mongod-1.set-members.bench.svc:27017," +
		"set-mongod-2.set-members.bench.svc:27017/?replicaSet=rs0"
	for want, target := range map[string]*benchv1alpha1.BenchmarkTarget{
		replicaSet: targettest.ReplicaSet("bench", "set", 3),
		"mongodb://one-mongod-0.one-members.bench.svc:27017/?directConnection=true": targettest.Standalone(
			"bench", "one", "6.0.5"),
	} {
		if got := *connection(normalised(target)).URI; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestLongWordsOfAServerFitTheStatus(t *testing.T) {
	long := strings.Repeat("ö", 5000)
	got := fingerprint(reportv1alpha1.Server{Version: long, StartupWarnings: make([]string, 40)})
	if len(got.Version) > maxName || len(got.StartupWarnings) != maxWarnings {
		t.Errorf("version of %d bytes, %d warnings", len(got.Version), len(got.StartupWarnings))
	}
}
