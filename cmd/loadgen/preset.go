package main

import (
	"fmt"
	"maps"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// presetFlags declare a run on the command line, in place of a file.
type presetFlags struct {
	preset     string
	parameters map[string]string
	warmup     uint16
}

func (p *presetFlags) register(command *cobra.Command) {
	set := command.Flags()
	set.StringVar(&p.preset, "preset", "", "preset to use instead of a file: YCSB-A to YCSB-F")
	set.StringToStringVarP(&p.parameters, "parameter", "p", nil,
		"parameter of the preset with YCSB's name, such as -p recordcount=100000 -p threadcount=16")
	set.Uint16Var(&p.warmup, "warmup-seconds", 0, "warm-up of the preset in seconds, 0 to 65535")
	for _, flag := range []string{"parameter", "warmup-seconds"} {
		command.MarkFlagsMutuallyExclusive("filename", flag)
		command.MarkFlagsMutuallyExclusive("plan", flag)
	}
}

// declared is the run of the flags: that of a preset, or of a file.
func (f *runFlags) declared() (*benchv1alpha1.BenchmarkRun, error) {
	if f.preset == "" {
		return readRun(f.run)
	}
	run := &benchv1alpha1.BenchmarkRun{}
	run.APIVersion, run.Kind = benchv1alpha1.GroupVersion.String(), kindRun
	run.Spec.Preset = &benchv1alpha1.Preset{
		Name: benchv1alpha1.PresetName(f.preset), Parameters: maps.Clone(f.parameters), WarmupSeconds: new(int32(f.warmup)),
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(run)
	if err != nil {
		return nil, fmt.Errorf("--preset %s: %w", f.preset, err)
	}
	return checked(object, "--preset "+f.preset)
}
