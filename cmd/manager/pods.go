package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/json"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// podFlags adds the flags that say what all pods are given.
func podFlags(set *flag.FlagSet, settings *controllers.Settings) {
	settings.Platform = controllers.PlatformKubernetes
	platforms := []controllers.Platform{controllers.PlatformKubernetes, controllers.PlatformOpenShift}
	set.Func("platform", "kind of cluster: Kubernetes, or OpenShift, which gives pods their user (default Kubernetes)",
		func(name string) error {
			if !slices.Contains(platforms, controllers.Platform(name)) {
				return fmt.Errorf("must be one of %v", platforms)
			}
			settings.Platform = controllers.Platform(name)
			return nil
		})
	set.Func("pod-defaults", "settings of all pods as JSON, in the form of spec.podSettings of a target",
		func(text string) (err error) {
			settings.PodDefaults, err = podDefaults(text)
			return err
		})
}

// podDefaults reads settings, of which all must be known and possible.
func podDefaults(text string) (benchv1alpha1.PodSettings, error) {
	var settings benchv1alpha1.PodSettings
	unknown, err := json.UnmarshalStrict([]byte(text), &settings)
	if err = errors.Join(append(unknown, err)...); err != nil {
		return settings, fmt.Errorf("reading the settings: %w", err)
	}
	return settings, validation.ValidatePodSettings(&settings, field.NewPath("pod-defaults")).ToAggregate()
}
