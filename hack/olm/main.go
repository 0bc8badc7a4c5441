package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

func main() {
	chart := flag.String("chart", "charts/mongobench-operator", "the chart, as a folder or an archive")
	helm := flag.String("helm", "helm", "the program that renders it")
	icon := flag.String("icon", "charts/mongobench-operator/icon.svg", "the picture of the operator in a catalogue")
	out := flag.String("out", "dist/bundle", "the folder to write the bundle to, which is emptied before")
	flag.Parse()
	if err := run(*chart, *helm, *icon, *out); err != nil {
		fmt.Fprintln(os.Stderr, "olm:", err)
		os.Exit(1)
	}
}

// run makes the bundle of a chart.
func run(chart, helm, icon, out string) error {
	about, err := readChart(helm, chart)
	if err != nil {
		return err
	}
	picture, err := os.ReadFile(icon)
	if err != nil {
		return fmt.Errorf("reading the icon: %w", err)
	}
	// The namespace is for whoever installs the bundle to choose: objects.go takes it out.
	text, err := output(helm, "template", "mongobench", chart, "--namespace", namespace, "--include-crds",
		"--set", "admissionPolicies.create=false")
	if err != nil {
		return err
	}
	rendered, err := parse(text)
	if err != nil {
		return err
	}
	version, err := serviceVersion(about, rendered, picture)
	if err != nil {
		return err
	}
	return write(out, version, rendered.others)
}

// output is what a program prints.
func output(name string, arguments ...string) ([]byte, error) {
	command := exec.Command(name, arguments...) //nolint:noctx // Helm ends by itself.
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("running %s %s: %w", name, arguments[0], err)
	}
	return out, nil
}

// annotations say what the bundle is to whoever reads its folder or its image.
var annotations = map[string]map[string]string{"annotations": {
	"operators.operatorframework.io.bundle.mediatype.v1":       "registry+v1",
	"operators.operatorframework.io.bundle.manifests.v1":       "manifests/",
	"operators.operatorframework.io.bundle.metadata.v1":        "metadata/",
	"operators.operatorframework.io.bundle.package.v1":         packageName,
	"operators.operatorframework.io.bundle.channels.v1":        channel,
	"operators.operatorframework.io.bundle.channel.default.v1": channel,
}}

// write writes the files of a bundle into an empty folder.
func write(out string, version any, others []object) error {
	if err := os.RemoveAll(out); err != nil {
		return fmt.Errorf("emptying the folder of the bundle: %w", err)
	}
	files := map[string]any{
		"metadata/annotations.yaml":                                annotations,
		"manifests/" + packageName + ".clusterserviceversion.yaml": version,
	}
	for _, other := range others {
		files["manifests/"+other.file()] = other
	}
	for name, content := range files {
		if err := writeYAML(filepath.Join(out, name), content); err != nil {
			return err
		}
	}
	fmt.Printf("olm: wrote %d files to %s\n", len(files), out)
	return nil
}

func writeYAML(file string, content any) error {
	text, err := yaml.Marshal(content)
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", file, err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}
