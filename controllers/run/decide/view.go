package decide

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// view is an observation with what follows from it.
type view struct {
	Observation
	plan    planv1alpha1.Plan
	encoded []byte
	hash    string
	// progress of each load pod by its index; nil when it has not said anything yet.
	progress []*reportv1alpha1.Progress
	// least is the position of the pod that is the least advanced.
	least int
	stage string
}

// look works out what follows from an observation.
func look(o *Observation) (*view, error) {
	v := &view{Observation: *o}
	if err := v.readPlan(); err != nil {
		return nil, err
	}
	v.progress = make([]*reportv1alpha1.Progress, v.plan.Pods)
	for i := range v.progress {
		v.progress[i] = v.podProgress(i)
	}
	v.least = v.leastAdvanced()
	v.stage = v.currentStage()
	return v, nil
}

// readPlan prefers the plan that the load pods were given: an operator of another version may compile another one, and
// what has begun goes on as it began.
func (v *view) readPlan() error {
	for name, configMap := range v.ConfigMaps {
		text := []byte(configMap.Data[naming.PlanKey])
		if v.Run.Status.PlanHash == "" || name != naming.PlanConfigMap(v.Run.Name, text) ||
			planv1alpha1.Hash(text) != v.Run.Status.PlanHash {
			continue
		}
		if given, err := planv1alpha1.Decode(text); err == nil {
			v.plan, v.encoded, v.hash = given, text, v.Run.Status.PlanHash
			return nil
		}
	}
	v.plan = v.compiled()
	encoded, err := planv1alpha1.Encode(v.plan)
	if err != nil {
		return fmt.Errorf("encoding the plan: %w", err)
	}
	v.encoded, v.hash = encoded, planv1alpha1.Hash(encoded)
	return nil
}

// compiled is the plan of the run on its target. Before a target that it refers to is there, nothing of it is known.
func (v *view) compiled() planv1alpha1.Plan {
	if v.inline() || v.Target == nil {
		return spec.Compile(v.Run.Spec)
	}
	return spec.CompileFor(v.Run.Spec, v.Target.Spec)
}

// podProgress is what a load pod said last. What cannot be read counts as nothing said: the deadlines take care of it.
func (v *view) podProgress(index int) *reportv1alpha1.Progress {
	configMap := v.ConfigMaps[naming.PodConfigMap(v.Run.Name, index)]
	if configMap == nil || configMap.Data[reportv1alpha1.ProgressKey] == "" {
		return nil
	}
	progress, err := reportv1alpha1.DecodeProgress([]byte(configMap.Data[reportv1alpha1.ProgressKey]))
	if err != nil || progress.Step < 0 || progress.Step >= len(v.plan.Steps) {
		return nil
	}
	return &progress
}

// began says whether load pods have done anything: from then on they are never started again.
func (v *view) began() bool {
	for _, progress := range v.progress {
		if progress != nil {
			return true
		}
	}
	return stageOf(v.Run.Status.Stages, benchv1alpha1.StageLoading) != nil
}

// targetReady says whether load pods may be sent to the target.
func (v *view) targetReady() bool {
	return v.Target != nil && v.Target.DeletionTimestamp == nil && v.Target.Status.Connection != nil &&
		condition.IsTrue(v.Target.Status.Conditions, benchv1alpha1.TargetReady)
}

// PodsMissing says whether the load Job has had the time to make its pods and has not, so that its events are worth
// reading.
func PodsMissing(o *Observation) bool {
	if o.Job == nil || jobSuspended(o.Job) || len(o.Pods) > 0 && len(o.Pods) >= wantedPods(o.Job) {
		return false
	}
	return !verdictWritten(o.Run) && !jobIs(o.Job, batchv1.JobComplete) && !jobIs(o.Job, batchv1.JobFailed) &&
		o.Now.Sub(o.Job.CreationTimestamp.Time) >= podCreation
}

func wantedPods(job *batchv1.Job) int {
	if job.Spec.Completions == nil {
		return 1
	}
	return int(*job.Spec.Completions)
}

func jobIs(job *batchv1.Job, conditionType batchv1.JobConditionType) bool {
	return jobCondition(job, conditionType) != nil
}

func jobCondition(job *batchv1.Job, conditionType batchv1.JobConditionType) *batchv1.JobCondition {
	if job == nil {
		return nil
	}
	for i := range job.Status.Conditions {
		c := &job.Status.Conditions[i]
		if c.Type == conditionType && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}
