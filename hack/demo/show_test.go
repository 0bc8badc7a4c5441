package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestExitCodeTellsTheOutcome(t *testing.T) {
	cases := map[string]struct {
		err  error
		want int
	}{
		"success":                  {nil, 0},
		"a failed run":             {errTold, 1},
		"a cluster that is away":   {errors.New("connection refused"), 1},
		"a wrong command line":     {fmt.Errorf("%w: -f is missing", errUsage), 2},
		"a run that never ends":    {fmt.Errorf("%w: after an hour", errTimedOut), 3},
		"a file that is not there": {run(t.Context(), []string{"-f", "/nowhere"}, os.Stderr, false), 2},
		"no file":                  {run(t.Context(), nil, os.Stderr, false), 2},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := exitCode(tc.err); got != tc.want {
				t.Errorf("%v: got %d, want %d", tc.err, got, tc.want)
			}
		})
	}
}

func TestStagesAreATable(t *testing.T) {
	at := func(second int) metav1.MicroTime {
		return metav1.NewMicroTime(time.Date(2026, 11, 21, 0, 0, second, 0, time.UTC))
	}
	run := &benchv1alpha1.BenchmarkRun{}
	run.Status.Stages = []benchv1alpha1.StageStatus{
		{Name: "Provisioning", StartTime: at(0), CompletionTime: new(at(7))},
		{Name: "Loading", StartTime: at(7), CompletionTime: new(at(9))},
		{Name: "Measuring", StartTime: at(9)},
	}
	var written strings.Builder
	if err := writeStages(&written, run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Provisioning     0.0 s      7.0 s", "Loading     7.0 s      2.0 s", "not ended", "9.0 s",
	} {
		if !strings.Contains(written.String(), want) {
			t.Errorf("there is no %q in\n%s", want, written.String())
		}
	}
}

func TestAFailureTellsItsConditionsAndWhatToDo(t *testing.T) {
	run := &benchv1alpha1.BenchmarkRun{}
	run.Status.Conditions = []metav1.Condition{
		{
			Type: benchv1alpha1.RunSucceeded, Status: metav1.ConditionFalse,
			Reason: benchv1alpha1.ReasonOOMKilled, Message: "gone",
		},
		{Type: benchv1alpha1.RunTrusted, Status: metav1.ConditionUnknown, Reason: benchv1alpha1.ReasonNotMeasured},
	}
	written := failure(run)
	for _, want := range []string{"Succeeded=False (OOMKilled): gone", "what to do: raise the memory limit"} {
		if !strings.Contains(written, want) {
			t.Errorf("there is no %q in\n%s", want, written)
		}
	}
	if strings.Contains(written, "Trusted") {
		t.Errorf("a run without numbers is said to be trusted or not:\n%s", written)
	}
}

func TestAReportThatIsNotTheOneOfTheStatusIsRefused(t *testing.T) {
	stored := &corev1.ConfigMap{BinaryData: map[string][]byte{reportv1alpha1.ReportKey: []byte("another")}}
	_, err := decode(stored, benchv1alpha1.ReportReference{SHA256: strings.Repeat("0", 64)})
	if err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestAdviceKnowsEveryReasonOfAFailure(t *testing.T) {
	for reason := range reasonsOfFailure(t, "../../api/v1alpha1/run_conditions.go") {
		switch reason {
		case benchv1alpha1.ReasonRunning, benchv1alpha1.ReasonCompleted:
			continue
		}
		if _, known := advices[reason]; !known {
			t.Errorf("nobody says what to do about %s", reason)
		}
	}
}

// reasonsOfFailure reads the values of the constants in those blocks whose comment speaks of the condition Succeeded.
func reasonsOfFailure(t *testing.T, path string) map[string]bool {
	t.Helper()
	source, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]bool{}
	for _, declared := range source.Decls {
		block, ok := declared.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST || !strings.Contains(block.Doc.Text(), "Succeeded") {
			continue
		}
		for _, spec := range block.Specs {
			for _, value := range spec.(*ast.ValueSpec).Values {
				reasons[strings.Trim(value.(*ast.BasicLit).Value, `"`)] = true
			}
		}
	}
	if len(reasons) < 10 {
		t.Fatalf("only %d reasons were found in %s", len(reasons), path)
	}
	return reasons
}

func TestRunsAreComparedLineByLine(t *testing.T) {
	measured, failed := &benchv1alpha1.BenchmarkRun{}, &benchv1alpha1.BenchmarkRun{}
	measured.Name, failed.Name = "one", "two"
	measured.Status.Result = &benchv1alpha1.Result{
		Load: &benchv1alpha1.LoadResult{DocumentsPerSecond: new(int64(4711))},
		Steps: []benchv1alpha1.StepResult{{Name: "sort", Operations: []benchv1alpha1.OperationResult{{
			Name: "all", Count: new(int64(7)), P50Micros: new(int64(1500)), FirstDocumentP50Micros: new(int64(1400)),
		}}}},
	}
	var written strings.Builder
	if err := writeComparison(&written, []*benchv1alpha1.BenchmarkRun{measured, failed}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one  4711", "sort  all", "1.5ms", "1.4ms", "two  failed"} {
		if !strings.Contains(written.String(), want) {
			t.Errorf("there is no %q in\n%s", want, written.String())
		}
	}
}
