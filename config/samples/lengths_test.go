package samples_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/config/samples"
)

// The samples had 1,464 lines in 19 files before targets became a union and documents YAML. The mean may be two thirds
// of that.
const (
	linesBefore, filesBefore = 1464, 19
	mostTasks                = 30
	mostFirst                = 10
)

// lines are those of each file that a pattern selects.
func lines(t *testing.T, pattern string) map[string]int {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("finding %s: %d files, error %v", pattern, len(paths), err)
	}
	found := make(map[string]int, len(paths))
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found[path] = strings.Count(string(content), "\n")
	}
	return found
}

func mean(lines map[string]int) (average float64, sum int) {
	for _, count := range lines {
		sum += count
	}
	return float64(sum) / float64(len(lines)), sum
}

func TestSamplesAreShort(t *testing.T) {
	found := lines(t, "*.yaml")
	got, sum := mean(found)
	const before = float64(linesBefore) / filesBefore
	t.Logf("%d lines in %d files: %.2f on average; before %.2f", sum, len(found), got, before)
	if most := before * 2 / 3; got > most {
		t.Errorf("a sample has %.2f lines on average, want at most %.2f", got, most)
	}
}

func TestTasksAreShort(t *testing.T) {
	found := lines(t, filepath.Join("tasks", "*.yaml"))
	got, sum := mean(found)
	t.Logf("%d lines in %d files: %.2f on average", sum, len(found), got)
	if len(found) != 13 {
		t.Errorf("there are %d tasks, want 13, as README.md says", len(found))
	}
	for path, count := range found {
		if count > mostTasks {
			t.Errorf("%s has %d lines, want at most %d", path, count, mostTasks)
		}
	}
}

func TestTheReadmeBeginsWithTheFirstTask(t *testing.T) {
	for _, page := range []string{"README.md", filepath.Join("docs", "how-to", "writing-a-run.md")} {
		text, err := os.ReadFile(filepath.Join("..", "..", page))
		if err != nil {
			t.Fatal(err)
		}
		_, block, _ := strings.Cut(string(text), "\n```yaml\n")
		block, _, _ = strings.Cut(block, "```\n")
		content, _ := samples.Read("first")
		if want := withoutComments(string(content)); block != want {
			t.Errorf("the first YAML of %s is not tasks/first.yaml:\n%s\nwant\n%s", page, block, want)
		}
		if count := strings.Count(block, "\n"); count > mostFirst {
			t.Errorf("the first YAML of %s has %d lines, want at most %d", page, count, mostFirst)
		}
	}
}

// withoutComments leaves out the lines that are comments alone.
func withoutComments(text string) string {
	kept := slices.DeleteFunc(slices.Collect(strings.Lines(text)), func(line string) bool {
		return strings.HasPrefix(strings.TrimSpace(line), "#")
	})
	return strings.Join(kept, "")
}

func TestNamesAreUnique(t *testing.T) {
	names := samples.Names()
	if unique := slices.Compact(slices.Clone(names)); len(unique) != len(names) {
		t.Errorf("two samples have one name: %v", names)
	}
	for _, name := range names {
		if content, ok := samples.Read(name); !ok || len(content) == 0 {
			t.Errorf("%s cannot be read", name)
		}
	}
}
