package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/operator-framework/api/pkg/lib/version"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	packageName = "mongobench-operator"
	// channel is the one for software before its first stable version.
	channel = "candidate"
)

// serviceVersion makes the ClusterServiceVersion, as it is written.
func serviceVersion(about about, rendered rendering, icon []byte) (map[string]any, error) {
	number, err := semver.Parse(about.Version)
	if err != nil {
		return nil, fmt.Errorf("reading the chart's version: %w", err)
	}
	examples, err := json.MarshalIndent(about.examples, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the examples: %w", err)
	}
	made := operatorsv1alpha1.ClusterServiceVersion{
		TypeMeta: metav1.TypeMeta{
			APIVersion: operatorsv1alpha1.ClusterServiceVersionAPIVersion, Kind: operatorsv1alpha1.ClusterServiceVersionKind,
		},
		ObjectMeta: metav1.ObjectMeta{
			Name: packageName + ".v" + about.Version,
			Annotations: map[string]string{
				"alm-examples":   string(examples),
				"capabilities":   about.Annotations[annotatedCapabilities],
				"categories":     "Database, Developer Tools",
				"containerImage": rendered.deployment.Spec.Template.Spec.Containers[0].Image,
				"description":    about.Description,
				"repository":     about.Sources[0],
				"support":        about.Maintainers[0].Name,
			},
			Labels: map[string]string{
				"operatorframework.io/arch.amd64": "supported",
				"operatorframework.io/arch.arm64": "supported",
				"operatorframework.io/os.linux":   "supported",
			},
		},
		Spec: operatorsv1alpha1.ClusterServiceVersionSpec{
			Version:        version.OperatorVersion{Version: number},
			DisplayName:    "mongobench",
			Description:    about.Description + "\n\nSee " + about.Home + ".\n",
			Keywords:       about.Keywords,
			Maturity:       "alpha",
			MinKubeVersion: regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(about.KubeVersion),
			// Maintainers would each need an address.
			Provider:      operatorsv1alpha1.AppLink{Name: about.Maintainers[0].Name, URL: about.Maintainers[0].URL},
			Links:         links(about),
			Icon:          []operatorsv1alpha1.Icon{{Data: base64.StdEncoding.EncodeToString(icon), MediaType: "image/svg+xml"}},
			InstallModes:  installModes(),
			RelatedImages: relatedImages(rendered),
			InstallStrategy: operatorsv1alpha1.NamedInstallStrategy{
				StrategyName: operatorsv1alpha1.InstallStrategyNameDeployment,
				StrategySpec: strategy(rendered),
			},
		},
	}
	if made.Spec.CustomResourceDefinitions.Owned, err = owned(about, rendered); err != nil {
		return nil, err
	}
	return plain(&made)
}

// installModes: the operator watches all namespaces. It can watch some, but is told which by the chart.
func installModes() []operatorsv1alpha1.InstallMode {
	return []operatorsv1alpha1.InstallMode{
		{Type: operatorsv1alpha1.InstallModeTypeOwnNamespace},
		{Type: operatorsv1alpha1.InstallModeTypeSingleNamespace},
		{Type: operatorsv1alpha1.InstallModeTypeMultiNamespace},
		{Type: operatorsv1alpha1.InstallModeTypeAllNamespaces, Supported: true},
	}
}

func links(about about) []operatorsv1alpha1.AppLink {
	made := make([]operatorsv1alpha1.AppLink, 0, len(about.links))
	for _, link := range about.links {
		made = append(made, operatorsv1alpha1.AppLink{Name: link.Name, URL: link.URL})
	}
	return made
}

// strategy is how the operator is deployed, and what it may do: in its own namespace, and everywhere.
func strategy(rendered rendering) operatorsv1alpha1.StrategyDetailsDeployment {
	deployment := rendered.deployment
	account := deployment.Spec.Template.Spec.ServiceAccountName
	return operatorsv1alpha1.StrategyDetailsDeployment{
		DeploymentSpecs: []operatorsv1alpha1.StrategyDeploymentSpec{
			{Name: deployment.Name, Spec: anywhere(deployment.Spec), Label: deployment.Labels},
		},
		Permissions: []operatorsv1alpha1.StrategyDeploymentPermissions{
			{ServiceAccountName: account, Rules: rendered.ruled["Role"]},
		},
		ClusterPermissions: []operatorsv1alpha1.StrategyDeploymentPermissions{
			{ServiceAccountName: account, Rules: rendered.ruled["ClusterRole"]},
		},
	}
}

// relatedImages are those that a mirror of the bundle has to have: the operator's own, and that of load pods. Images of
// databases are the choice of those who measure them.
func relatedImages(rendered rendering) []operatorsv1alpha1.RelatedImage {
	container := rendered.deployment.Spec.Template.Spec.Containers[0]
	made := []operatorsv1alpha1.RelatedImage{{Name: "operator", Image: container.Image}}
	for _, argument := range container.Args {
		if image, is := strings.CutPrefix(argument, "--loadgen-image="); is {
			made = append(made, operatorsv1alpha1.RelatedImage{Name: "loadgen", Image: image})
		}
	}
	return made
}

// owned describes the kinds, in the words of Chart.yaml, which has to have all that are defined.
func owned(about about, rendered rendering) ([]operatorsv1alpha1.CRDDescription, error) {
	made := make([]operatorsv1alpha1.CRDDescription, 0, len(about.kinds))
	for _, kind := range about.kinds {
		made = append(made, operatorsv1alpha1.CRDDescription{
			Name: kind.Name, Kind: kind.Kind, Version: kind.Version,
			DisplayName: kind.DisplayName, Description: kind.Description,
		})
	}
	if len(made) != len(rendered.definitions) {
		return nil, fmt.Errorf("the annotation %s of Chart.yaml has %d kinds, and the chart defines %d",
			annotatedKinds, len(made), len(rendered.definitions))
	}
	return made, nil
}

// plain is a ClusterServiceVersion as people write it: without a status, and without fields that are only there because
// Go has no other way.
func plain(made *operatorsv1alpha1.ClusterServiceVersion) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	if err != nil {
		return nil, fmt.Errorf("writing the ClusterServiceVersion: %w", err)
	}
	unstructured.RemoveNestedField(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(content, "spec", "apiservicedefinitions")
	unstructured.RemoveNestedField(content, "spec", "cleanup")
	return content, nil
}
