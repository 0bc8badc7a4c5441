package demo

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
)

// TestStudiesCanBeFollowed renders the studies as make demo does, in the articles' size and in small, works out their
// runs, and does with each variant what loadgen does before it connects.
func TestStudiesCanBeFollowed(t *testing.T) {
	for _, folder := range []string{"studies", "studies-small"} {
		for study := range bytes.SplitSeq(render(t, folder), []byte("\n---\n")) {
			declared := &benchv1alpha1.BenchmarkSuite{}
			if err := yaml.UnmarshalStrict(study, declared); err != nil {
				t.Fatalf("%s: %v", folder, err)
			}
			t.Run(folder+"/"+declared.Name, func(t *testing.T) { followAll(t, declared) })
		}
	}
}

// followAll follows every variant of a suite, of which there are some, each more than once.
func followAll(t *testing.T, declared *benchv1alpha1.BenchmarkSuite) {
	t.Helper()
	plan, problems := suite.Compile(declared)
	if len(problems) > 0 {
		t.Fatal(problems.ToAggregate())
	}
	if len(plan.Variants) < 2 || len(plan.Slots) < 2*len(plan.Variants) {
		t.Errorf("there are %d runs of %d variants", len(plan.Slots), len(plan.Variants))
	}
	for _, variant := range plan.Variants {
		follow(t, variant)
	}
}

// root is the tree's.
var root = filepath.Join("..", "..")

// TestPagesOfStudiesHaveTheirFigures puts the figures of the reports into the pages again: what was typed there
// would be another text.
func TestPagesOfStudiesHaveTheirFigures(t *testing.T) {
	for page, written := range pages(t) {
		fill := exec.CommandContext(t.Context(), "awk", "-f", filepath.Join("hack", "demo", "figures.awk"), page)
		fill.Dir = root
		filled, err := fill.Output()
		if err != nil {
			t.Fatalf("filling %s: %v", page, err)
		}
		if diff := cmp.Diff(string(written), string(filled)); diff != "" {
			t.Errorf("%s is not what hack/demo/studies.sh makes of it (-page +made):\n%s", page, diff)
		}
	}
}

func TestEveryStudyIsOnAPage(t *testing.T) {
	all := string(bytes.Join(slices.Collect(maps.Values(pages(t))), nil))
	studies, err := filepath.Glob(filepath.Join(root, "config", "samples", "studies", "*.yaml"))
	if err != nil || len(studies) < 6 {
		t.Fatalf("finding the studies: %d files, %v", len(studies), err)
	}
	for _, study := range studies {
		name := strings.TrimSuffix(filepath.Base(study), ".yaml")
		if name != "kustomization" && !strings.Contains(all, "<!-- figures "+name+" ") {
			t.Errorf("no page has figures of %s", name)
		}
	}
}

// pages are those of the studies, by their paths in the tree.
func pages(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "docs", "studies", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]byte{}
	for _, file := range files {
		written, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Join("docs", "studies", filepath.Base(file))] = written
	}
	return found
}

// follow compiles the plan of a variant and has it checked.
func follow(t *testing.T, variant suite.Variant) {
	t.Helper()
	encoded, err := planv1.Encode(spec.Compile(variant.Spec))
	if err != nil {
		t.Fatalf("variant %s: %v", variant.Name, err)
	}
	plan, err := planv1.Decode(encoded)
	if err != nil {
		t.Fatalf("variant %s: %v", variant.Name, err)
	}
	plan.Pods = 1
	if err := engine.Check(plan); err != nil {
		t.Errorf("variant %s: %v", variant.Name, err)
	}
}

func render(t *testing.T, folder string) []byte {
	t.Helper()
	tool, err := exec.CommandContext(t.Context(), filepath.Join(root, "hack", "tools", "tool.sh"), "kustomize").Output()
	if err != nil {
		t.Fatalf("finding kustomize: %v", err)
	}
	samples := filepath.Join(root, "config", "samples", folder)
	rendered, err := exec.CommandContext(t.Context(), strings.TrimSpace(string(tool)), "build", samples).Output()
	if err != nil {
		t.Fatalf("rendering %s: %v", folder, err)
	}
	return rendered
}
