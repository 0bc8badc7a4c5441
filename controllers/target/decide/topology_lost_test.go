package decide

import (
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// storageOn is storage of the default size on a medium.
func storageOn(medium product.Medium) *benchv1alpha1.StorageSpec {
	switch medium {
	case product.MediumEmptyDir:
		return targettest.Directory(corev1.StorageMediumDefault, "")
	case product.MediumMemory:
		return targettest.Directory(corev1.StorageMediumMemory, "")
	default:
		return targettest.Claim("", "")
	}
}

// answered is a server alone, whose topology Job worked on it from the 4th to the 6th second. It was made at the begin
// and has run since the 2nd second; now it is the 20th.
func answered(medium product.Medium) Observation {
	target := targettest.Standalone("bench", "alone", "6.0.5")
	target.Spec.MongoDB.Storage = storageOn(medium)
	o := observe(target)
	decision := decided(o)
	o.Target.Status = decision.Status
	o.Now = at(20)
	o.TopologyJob = &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "alone-topology"}}
	o.TopologyJob.Status = targettest.JobComplete(at(1), at(7))
	o.TopologyResult = &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "alone-topology-result"}, Data: targettest.Answer(),
	}
	topology := targettest.TopologyPod(target)
	topology.Status = corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: []corev1.ContainerStatus{{
		Name: naming.TopologyContainer,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			StartedAt: metav1.NewTime(at(4)), FinishedAt: metav1.NewTime(at(6)),
		}},
	}}}
	o.TopologyPods = []corev1.Pod{topology}
	o.MemberPods = []corev1.Pod{targettest.MemberPod(target, naming.ReplicaSet, 0)}
	o.MemberPods[0].CreationTimestamp = metav1.NewTime(at(0))
	targettest.Ready(&o.MemberPods[0], at(2))
	return o
}

func at(second int) time.Time { return start.Add(time.Duration(second) * time.Second) }

// TestTopologyThatIsForgotten has a server lose, before the target was ready, what the topology Job had made in it,
// such as its users. The Job is then made again.
func TestTopologyThatIsForgotten(t *testing.T) {
	replaced := func(o *Observation) { o.MemberPods[0].CreationTimestamp = metav1.NewTime(at(5)) }
	restarted := func(o *Observation) {
		targettest.Restarted(&o.MemberPods[0], at(9), corev1.ContainerStateTerminated{ExitCode: 14})
	}
	for name, tc := range map[string]struct {
		medium product.Medium
		change func(*Observation)
		again  bool
	}{
		"nothing happened": {medium: product.MediumEmptyDir, change: func(*Observation) {}},
		"the pod was replaced while the Job worked": {
			medium: product.MediumEmptyDir, change: replaced, again: true,
		},
		"the pod was replaced, and keeps its volume": {
			medium: product.MediumPersistentVolume, change: replaced,
		},
		"the process began after the Job had ended": {
			medium: product.MediumMemory, again: true,
			change: func(o *Observation) { targettest.Ready(&o.MemberPods[0], at(7)) },
		},
		"the process began in the second in which the Job ended": {
			medium: product.MediumEmptyDir,
			change: func(o *Observation) { targettest.Ready(&o.MemberPods[0], at(6)) },
		},
		"the process was started again in the second in which the Job ended and has its data in memory": {
			medium: product.MediumEmptyDir, again: true,
			change: func(o *Observation) {
				o.Target.Spec.MongoDB.Engine = &benchv1alpha1.EngineSpec{Name: new(benchv1alpha1.EngineEphemeralForTest)}
				targettest.Restarted(&o.MemberPods[0], at(6), corev1.ContainerStateTerminated{ExitCode: 14})
			},
		},
		"the process was started again in its pod": {medium: product.MediumEmptyDir, change: restarted},
		"the process was started again and has its data in memory": {
			medium: product.MediumPersistentVolume, again: true,
			change: func(o *Observation) {
				o.Target.Spec.MongoDB.Engine = &benchv1alpha1.EngineSpec{Name: new(benchv1alpha1.EngineEphemeralForTest)}
				restarted(o)
			},
		},
		"the Job is being made again": {
			medium: product.MediumEmptyDir,
			change: func(o *Observation) {
				replaced(o)
				o.TopologyPods = nil
				o.TopologyJob.Status, o.TopologyResult.Data = batchv1.JobStatus{}, nil
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := answered(tc.medium)
			tc.change(&o)
			decision := decided(o)
			made := func(wanted string) bool {
				return slices.ContainsFunc(decision.Desired, func(object desired.Object) bool {
					return object.GetName() == wanted
				})
			}
			if made("alone-topology-result") == tc.again {
				t.Errorf("the Job's answer stays: %t, want %t", made("alone-topology-result"), !tc.again)
			}
			if isReady := decision.Status.Connection != nil; isReady == (tc.again || o.TopologyResult.Data == nil) {
				t.Errorf("the target is ready: %t; %+v", isReady, decision.Status.Conditions)
			}
		})
	}
}

func TestAnAnswerOfAJobThatIsBeingRemovedDoesNotCount(t *testing.T) {
	o := answered(product.MediumEmptyDir)
	o.TopologyJob.DeletionTimestamp = new(metav1.NewTime(at(19)))
	decision := decided(o)
	if decision.Status.Connection != nil {
		t.Errorf("the target is ready: %+v", decision.Status.Conditions)
	}
}
