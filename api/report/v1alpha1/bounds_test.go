package v1alpha1_test

import (
	"strings"
	"testing"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// TestWhatALoadPodSaysIsBounded: texts that a reader would make many times their size of.
func TestWhatALoadPodSaysIsBounded(t *testing.T) {
	bomb := strings.Repeat(`{},`, 5000) + `{}`
	if _, err := reportv1alpha1.DecodeProgress([]byte(`{"step":0,"requests":[` + bomb + `]}`)); err == nil {
		t.Error("thousands of requests were read as progress")
	}
	told := `{"version":"` + reportv1alpha1.Version + `","summary":{"steps":[` + bomb + `]}}`
	if _, err := reportv1alpha1.DecodeCollected([]byte(told)); err == nil {
		t.Error("thousands of steps were read as what was collected")
	}
}
