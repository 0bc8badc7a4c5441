package main

import (
	"fmt"

	"sigs.k8s.io/yaml"
)

// about is what Chart.yaml says of the operator.
type about struct {
	Description, Version, Home string
	KubeVersion                string `json:"kubeVersion"`
	Keywords                   []string
	Sources                    []string
	Maintainers                []struct{ Name, URL string }
	Annotations                map[string]string
	// kinds, examples and links are annotations that hold YAML.
	kinds    []kind
	examples []object
	links    []link
}

// kind is an entry of the annotation artifacthub.io/crds.
type kind struct{ Kind, Version, Name, DisplayName, Description string }

// link is an entry of the annotation artifacthub.io/links.
type link struct{ Name, URL string }

// annotated are the annotations that a bundle has a use for.
const (
	annotatedKinds        = "artifacthub.io/crds"
	annotatedExamples     = "artifacthub.io/crdsExamples"
	annotatedLinks        = "artifacthub.io/links"
	annotatedCapabilities = "artifacthub.io/operatorCapabilities"
)

// readChart reads the Chart.yaml of a folder or an archive.
func readChart(helm, chart string) (about, error) {
	var read about
	text, err := output(helm, "show", "chart", chart)
	if err != nil {
		return read, err
	}
	if err := yaml.Unmarshal(text, &read); err != nil {
		return read, fmt.Errorf("reading Chart.yaml: %w", err)
	}
	for name, into := range map[string]any{
		annotatedKinds: &read.kinds, annotatedExamples: &read.examples, annotatedLinks: &read.links,
	} {
		if err := yaml.UnmarshalStrict([]byte(read.Annotations[name]), into); err != nil {
			return read, fmt.Errorf("reading the annotation %s of Chart.yaml: %w", name, err)
		}
	}
	if len(read.Maintainers) == 0 || len(read.Sources) == 0 {
		return read, fmt.Errorf("the chart names %d maintainers and %d sources, and has to name one of each",
			len(read.Maintainers), len(read.Sources))
	}
	return read, nil
}
