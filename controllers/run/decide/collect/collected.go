package collect

import (
	"errors"
	"fmt"
	"regexp"

	corev1 "k8s.io/api/core/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Place is where the merged report of a run is stored, which stays when everything else goes. It is made empty, before
// anything starts: where it cannot be made, nothing should be measured.
func Place(run *benchv1alpha1.BenchmarkRun) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: desired.OfRun(run, naming.ReportConfigMap(run.Name), naming.ComponentStoredReport),
	}
}

// Answer is the ConfigMap in which the collector tells what the report comes to. It is made empty, too.
func Answer(run *benchv1alpha1.BenchmarkRun) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: desired.OfRun(run, naming.CollectedConfigMap(run.Name), naming.ComponentCollected),
	}
}

// Read is what a run's collector has told: nil when it has told nothing yet. What makes no sense is an error: it is
// somebody's text, and the status is to be written from it.
func Read(
	run *benchv1alpha1.BenchmarkRun, plan planv1alpha1.Plan, planHash string, answer *corev1.ConfigMap,
) (*reportv1alpha1.Collected, error) {
	if answer != nil && answer.Annotations[naming.CutAnnotation] != "" {
		return nil, fmt.Errorf("ConfigMap %s: it has more data than %d bytes", answer.Name, reportv1alpha1.MaxCollectedBytes)
	}
	if answer == nil || answer.Data[reportv1alpha1.CollectedKey] == "" {
		return nil, nil //nolint:nilnil // Nothing told is no error.
	}
	told, err := reportv1alpha1.DecodeCollected([]byte(answer.Data[reportv1alpha1.CollectedKey]))
	if err == nil {
		err = check(told, run, plan, planHash)
	}
	if err != nil {
		return nil, fmt.Errorf("ConfigMap %s: %w", answer.Name, err)
	}
	return &told, nil
}

// digest is what a SHA-256 in hexadecimal looks like.
var digest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// check says what of what was told cannot be of the run.
func check(
	told reportv1alpha1.Collected, run *benchv1alpha1.BenchmarkRun, plan planv1alpha1.Plan, planHash string,
) error {
	switch {
	case told.PlanHash != planHash:
		return fmt.Errorf("the report is of another plan, %.64q", told.PlanHash)
	case told.Failed != "":
		return nil
	case told.Stored.ConfigMapName != naming.ReportConfigMap(run.Name) || !digest.MatchString(told.Stored.SHA256):
		return errors.New("it does not say where the report lies")
	case told.Stored.Bytes < 1 || told.Stored.Bytes > reportv1alpha1.MaxReportBytes:
		return fmt.Errorf("a stored report cannot have %d bytes", told.Stored.Bytes)
	case len(told.Summary.Steps) == 0:
		return errors.New("it holds no measured step")
	}
	return checkSteps(told, plan)
}

// checkSteps wants every step that was told of to be one of the plan, and there once.
func checkSteps(told reportv1alpha1.Collected, plan planv1alpha1.Plan) error {
	planned := map[string]planv1alpha1.Step{}
	for _, step := range plan.Steps {
		planned[step.Name] = step
	}
	if err := checkOverview(told, planned); err != nil {
		return err
	}
	for _, step := range told.Summary.Steps {
		known, once := planned[step.Name]
		if !once {
			return fmt.Errorf("step %.64q is not of the plan, or is there twice", step.Name)
		}
		delete(planned, step.Name)
		if err := checkStep(step, known); err != nil {
			return fmt.Errorf("step %q: %w", step.Name, err)
		}
	}
	return nil
}

// checkOverview wants the steps that the overview names to be of the plan, and no more of them than that has.
func checkOverview(told reportv1alpha1.Collected, planned map[string]planv1alpha1.Step) error {
	overview := told.Overview
	named := []reportv1alpha1.StepFigures{overview.Fastest}
	if overview.Slowest != nil {
		named = append(named, *overview.Slowest)
	}
	for _, step := range named {
		if _, known := planned[step.Step]; !known {
			return fmt.Errorf("overview: step %.64q is not of the plan", step.Step)
		}
	}
	if least := len(told.Summary.Steps); overview.Steps < least || overview.Steps > len(planned) {
		return fmt.Errorf("overview: it is of %d steps, and there are %d to %d", overview.Steps, least, len(planned))
	}
	return nil
}

func checkStep(step reportv1alpha1.StepSummary, planned planv1alpha1.Step) error {
	operations, actions := map[string]bool{}, map[string]bool{}
	for _, operation := range planned.Operations {
		operations[operation.Name] = true
	}
	for _, action := range planned.Actions {
		actions[action.Name] = true
	}
	if planned.Replay != nil {
		// What they are called the recording says.
		if err := checkReplayed(step); err != nil {
			return err
		}
		operations = replayedNames(step)
	}
	for _, operation := range step.Operations {
		if !operations[operation.Name] {
			return fmt.Errorf("operation %.64q is not of the plan, or is there twice", operation.Name)
		}
		delete(operations, operation.Name)
	}
	for _, action := range step.Actions {
		if !actions[action.Name] {
			return fmt.Errorf("action %.64q is not of the plan, or is there twice", action.Name)
		}
		delete(actions, action.Name)
	}
	return nil
}

// maxReplayed is how many operations a result has room for, and maxName how long their names may be.
const maxReplayed, maxName = 32, 63

// checkReplayed refuses more operations of a recording than a result has room for, and longer names.
func checkReplayed(step reportv1alpha1.StepSummary) error {
	if len(step.Operations) > maxReplayed {
		return fmt.Errorf("%d operations of a recording are told apart, and at most %d can be", len(step.Operations),
			maxReplayed)
	}
	for _, operation := range step.Operations {
		if name := operation.Name; name == "" || len(name) > maxName {
			return fmt.Errorf("operation %.64q has no name that a result has room for", name)
		}
	}
	return nil
}

// replayedNames are those of the operations, each of which may be there once.
func replayedNames(step reportv1alpha1.StepSummary) map[string]bool {
	names := make(map[string]bool, len(step.Operations))
	for _, operation := range step.Operations {
		names[operation.Name] = true
	}
	return names
}
