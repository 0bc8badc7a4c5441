package decide

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// inTurns makes the run of a world a duet with the target "other", which is ready.
func inTurns(w *world) {
	w.Run.Spec.LoadGenerator.Pods = new(int32(1))
	w.Run.Spec.Duet = &benchv1alpha1.Duet{Baseline: benchv1alpha1.DuetBaseline{
		TargetRef: benchv1alpha1.NameReference{Name: "other"},
	}}
	w.Baseline = &benchv1alpha1.BenchmarkTarget{
		ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: "bench", CreationTimestamp: metav1.NewTime(birth)},
		Spec:       *runtest.Run("", "").Spec.Target,
	}
	w.Baseline.Status.Connection = runtest.Connection("other")
	w.Baseline.Status.Server = runtest.Server()
	w.baselineSays(metav1.ConditionTrue, benchv1alpha1.ReasonReady, "3 members")
}

// baselineSays sets whether the target of the other side is ready.
func (w *world) baselineSays(status metav1.ConditionStatus, reason, message string) {
	condition.In(&w.Baseline.Status.Conditions, 1, w.Now).Set(benchv1alpha1.TargetReady, status, reason, message)
}

func TestADuetWaitsForBothTargets(t *testing.T) {
	w := newWorld(t)
	inTurns(w)
	w.baselineSays(metav1.ConditionFalse, benchv1alpha1.ReasonPodsStarting, "1 of 3 members")
	w.toJob()
	if w.Job != nil {
		t.Fatal("there is a load Job before the baseline is ready")
	}
	if got := w.status(benchv1alpha1.RunTargetReady); got != "False PodsStarting" {
		t.Errorf("the target is %s", got)
	}
	w.baselineSays(metav1.ConditionTrue, benchv1alpha1.ReasonReady, "3 members")
	w.settle()
	if w.Job == nil {
		t.Fatalf("there is no load Job with both targets ready:\n%s", w.describe())
	}
}

// TestTheLoadPodOfADuetReachesBothTargets looks at its arguments, its files, and the labels that NetworkPolicies of
// targets know it by.
func TestTheLoadPodOfADuetReachesBothTargets(t *testing.T) {
	w := newWorld(t)
	inTurns(w)
	w.toJob()
	pod := w.Job.Spec.Template
	arguments := strings.Join(pod.Spec.Containers[0].Args, " ")
	for _, want := range []string{
		"--uri " + *w.Target.Status.Connection.URI, "--baseline-uri " + *runtest.Connection("other").URI,
		"--credentials " + naming.CredentialsPath + " ", "--baseline-credentials " + naming.BaselinePath + "/",
	} {
		if !strings.Contains(arguments, want) {
			t.Errorf("%q is not among the arguments %s", want, arguments)
		}
	}
	folders := map[string]string{}
	for _, volume := range pod.Spec.Volumes {
		at := slices.IndexFunc(pod.Spec.Containers[0].VolumeMounts, func(mount corev1.VolumeMount) bool {
			return mount.Name == volume.Name
		})
		if volume.Secret != nil && at >= 0 {
			folders[volume.Secret.SecretName] = pod.Spec.Containers[0].VolumeMounts[at].MountPath
		}
	}
	own, other := folders[w.Target.Name+"-load"], folders["other-load"]
	if own != naming.CredentialsPath || !strings.HasPrefix(other, naming.BaselinePath+"/") {
		t.Errorf("the Secrets are mounted as %v", folders)
	}
	if pod.Labels[naming.ClientLabel] != w.Target.Name || pod.Labels[naming.BaselineClientLabel] != "other" {
		t.Errorf("the load pod has the labels %v", pod.Labels)
	}
}

// TestWhatEndsADuetForItsBaseline also wants the message to say which of the two targets it is.
func TestWhatEndsADuetForItsBaseline(t *testing.T) {
	for name, tc := range map[string]struct {
		play func(*world)
		want string
	}{
		"there is none": {func(w *world) {
			w.Baseline = nil
			w.toJob()
			w.pass(300 * time.Second)
		}, benchv1alpha1.ReasonTargetNotFound},
		"it was given up": {func(w *world) {
			w.baselineSays(metav1.ConditionFalse, benchv1alpha1.ReasonImagePull, "no such image")
			condition.In(&w.Baseline.Status.Conditions, 1, w.Now).True(benchv1alpha1.TargetStalled,
				benchv1alpha1.ReasonImagePull, "no such image")
		}, benchv1alpha1.ReasonImagePull},
		"it is never ready": {func(w *world) {
			w.baselineSays(metav1.ConditionFalse, benchv1alpha1.ReasonPodsStarting, "1 of 3 members")
			w.toJob()
			w.pass(time.Hour)
		}, benchv1alpha1.ReasonDeadlineExceeded},
		"it is deleted": {func(w *world) {
			w.toMeasuring()
			w.Baseline = nil
		}, benchv1alpha1.ReasonTargetLost},
		"a member restarts": {func(w *world) {
			w.toMeasuring()
			w.baselineSays(metav1.ConditionFalse, benchv1alpha1.ReasonMemberRestarted, "other-mongod-0")
		}, benchv1alpha1.ReasonTargetLost},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			inTurns(w)
			tc.play(w)
			w.settle()
			if got := w.status(benchv1alpha1.RunSucceeded); got != "False "+tc.want {
				t.Fatalf("the run is %q, want it to fail for %s:\n%s", got, tc.want, w.describe())
			}
			if told := condition.Find(w.Run.Status.Conditions, benchv1alpha1.RunSucceeded).Message; !strings.Contains(
				told, `"other"`) {
				t.Errorf("the target is not named: %s", told)
			}
		})
	}
}
