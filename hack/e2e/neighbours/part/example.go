package part

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// smaller makes of the example's suite, which is sized for a night, one for a test. It passes whatever it measures:
// one repetition shows nothing, least of all on a machine that does other things too.
var smaller = strings.NewReplacer("documentCount: 50000", "documentCount: 2000", "warmupSeconds: 5", "warmupSeconds: 1",
	"durationSeconds: 30", "durationSeconds: 3", "repetitions: 10", "repetitions: 1\n  failOn: Never")

// Example is the folder that config/gitops has as it would be in Git, for a namespace, with a suite that takes less
// time. Of the suite some texts are replaced, old and new in turn.
func Example(t *testing.T, namespace string, changes ...string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"kustomization.yaml", "nightly.yaml"} {
		content, err := os.ReadFile(filepath.Join(Root(t), "config", "gitops", "example", name))
		if err != nil {
			t.Fatal(err)
		}
		text := smaller.Replace(strings.ReplaceAll(string(content), "namespace: benchmarks", "namespace: "+namespace))
		files["example/"+name] = strings.NewReplacer(changes...).Replace(text)
	}
	return files
}

// Gitops is a file of config/gitops, in which some texts are replaced, old and new in turn. Each has to be there.
func Gitops(t *testing.T, path string, changes ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(Root(t), "config", "gitops", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			t.Fatalf("config/gitops/%s does not hold %q", path, changes[i])
		}
		text = strings.ReplaceAll(text, changes[i], changes[i+1])
	}
	return text
}

// Empty is a folder in Git that has nothing of mongobench in it any more.
func Empty() map[string]string {
	return map[string]string{
		"example/kustomization.yaml": "resources: [left.yaml]\n",
		"example/left.yaml":          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: left}\n",
	}
}
