package load_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
)

// TestFilesOfAPlanAreMounted has several files, of which some are in the same ConfigMap or volume, and a volume that is
// called as a ConfigMap is.
func TestFilesOfAPlanAreMounted(t *testing.T) {
	plan := planv1alpha1.Plan{Pods: 1}
	for _, file := range []planv1alpha1.File{
		{ConfigMap: "same", Path: "a"}, {Claim: "same", Path: "deep/b"}, {ConfigMap: "same", Path: "c"},
		{Claim: "other", Path: "d"},
	} {
		plan.Steps = append(plan.Steps, planv1alpha1.Step{
			Kind: planv1alpha1.StepMeasure, Replay: &planv1alpha1.Replay{Recording: file},
		})
	}
	run := &benchv1alpha1.BenchmarkRun{}
	run.Name = "r"
	target := &benchv1alpha1.BenchmarkTarget{}
	target.Status.Connection = &benchv1alpha1.TargetConnection{}
	pod := load.Pods{Run: run, Target: target, Plan: plan, Hash: "h"}.Job().Spec.Template.Spec

	type mounted struct {
		ConfigMap, Claim, At string
		ReadOnly             bool
	}
	var got []mounted
	for _, volume := range pod.Volumes {
		one := mounted{ReadOnly: true}
		if volume.ConfigMap != nil {
			one.ConfigMap = volume.ConfigMap.Name
		}
		if claim := volume.PersistentVolumeClaim; claim != nil {
			one.Claim, one.ReadOnly = claim.ClaimName, claim.ReadOnly
		}
		mounts := pod.Containers[0].VolumeMounts
		at := slices.IndexFunc(mounts, func(m corev1.VolumeMount) bool { return m.Name == volume.Name })
		one.At, one.ReadOnly = mounts[at].MountPath, one.ReadOnly && mounts[at].ReadOnly
		got = append(got, one)
	}
	want := []mounted{
		{"r-plan-h", "", "/etc/mongobench/plan", true},
		{"same", "", "/etc/mongobench/files/configmap/same", true},
		{"", "same", "/etc/mongobench/files/volume/same", true},
		{"", "other", "/etc/mongobench/files/volume/other", true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("volumes (-want +got):\n%s", diff)
	}
	arguments := pod.Containers[0].Args
	if at := slices.Index(arguments, "--files"); at < 0 || arguments[at+1] != "/etc/mongobench/files" {
		t.Errorf("the arguments %q do not say where the files are", arguments)
	}
}
