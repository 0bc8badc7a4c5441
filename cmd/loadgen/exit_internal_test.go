package main

import (
	"errors"
	"fmt"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
)

func TestExitCodesTellTheOperatorWhy(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want int
	}{
		"an error":                     {errors.New("no"), 1},
		"another release":              {fmt.Errorf("running: %w", skewError{errors.New("no")}), planv1.ExitOtherRelease},
		"the place of a lost load pod": {fmt.Errorf("running: %w", engine.ErrTooLate), planv1.ExitReplacedTooLate},
	} {
		if got := exitCode(tc.err); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}
