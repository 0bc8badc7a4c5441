package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// recorded is a report of a real run, as loadgen run -o writes it.
var recorded = filepath.Join(root, "hack", "page", "testdata", "standalone.json")

// alone calls the program where there is no cluster.
func alone(t *testing.T, arguments ...string) (out, errOut string, code int) {
	t.Helper()
	return run(t, "default", append([]string{"--kubeconfig", "/nowhere"}, arguments...)...)
}

func TestReportOfAFileIsWhatTheRunHasInEveryForm(t *testing.T) {
	source, err := (&tool{}).readReport(recorded)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range runForms {
		t.Run(name, func(t *testing.T) {
			var want strings.Builder
			if err := write(sheet{Writer: &want}, source); err != nil {
				t.Fatal(err)
			}
			out, errOut, code := alone(t, "report", "-f", recorded, "-o", name)
			if out != want.String() || code != 0 {
				t.Errorf("exit code %d, %d bytes, want %d: %s", code, len(out), want.Len(), errOut)
			}
			if got := reportInto(t, "-o", name); got != want.String() {
				t.Errorf("the file has %d bytes, want %d", len(got), want.Len())
			}
		})
	}
}

// reportInto has the recorded report written into a file, and nothing else anywhere, and reads it.
func reportInto(t *testing.T, arguments ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report")
	out, errOut, code := alone(t, append([]string{"report", "-f", recorded, "--out", file}, arguments...)...)
	written, err := os.ReadFile(file)
	if err != nil || code != 0 || out != "" {
		t.Fatalf("exit code %d, %v, output %q: %s", code, err, out, errOut)
	}
	return string(written)
}

// pageData is what the tests read of a page's data.
type pageData struct {
	Title string `json:"title"`
	Runs  []struct {
		Name string `json:"name"`
	} `json:"runs"`
	Comparison *struct {
		Note   string      `json:"note"`
		Tables []pageTable `json:"tables"`
	} `json:"comparison"`
}

type pageTable struct {
	Columns []struct {
		Name string `json:"name"`
	} `json:"columns"`
	Rows [][]any `json:"rows"`
}

// first is the first row by the names of the columns, as it is seen; the exact values are after a slash.
func (p pageTable) first() map[string]string {
	row := map[string]string{}
	for i, column := range p.Columns {
		switch cell := p.Rows[0][i].(type) {
		case []any:
			row[column.Name] = fmt.Sprintf("%v/%v", cell[0], cell[1])
		default:
			row[column.Name] = fmt.Sprint(cell)
		}
	}
	return row
}

var embedded = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

func dataIn(t *testing.T, file string) pageData {
	t.Helper()
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := embedded.FindSubmatch(whole)
	if found == nil {
		t.Fatalf("there is no data in the %d bytes of %s", len(whole), file)
	}
	var data pageData
	if err := json.Unmarshal(found[1], &data); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestReportOfSeveralFilesIsOnePageNamedByTheirFolders(t *testing.T) {
	folder := t.TempDir()
	content, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	arguments := make([]string, 0, 9)
	arguments = append(arguments, "report", "-o", "html", "--out", filepath.Join(folder, "page.html"))
	for _, name := range []string{"before", "after"} {
		file := filepath.Join(folder, name, "report.json")
		if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, "-f", file)
	}
	if _, errOut, code := alone(t, arguments...); code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	if data := dataIn(t, filepath.Join(folder, "page.html")); data.Title != "before and after" || len(data.Runs) != 2 {
		t.Errorf("the page is called %q and has %d runs", data.Title, len(data.Runs))
	}
}

func TestReportOfFilesRefuses(t *testing.T) {
	write := func(content string) string {
		file := filepath.Join(t.TempDir(), "report.json")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, tc := range map[string]struct {
		arguments []string
		want      int
		says      string
	}{
		"a file that is not there": {[]string{"-f", "/nowhere.json"}, exitFailed, "/nowhere.json"},
		"what is no JSON":          {[]string{"-f", write("text")}, exitFailed, "reading a report"},
		"JSON of something else":   {[]string{"-f", write(`{"kind": "B"}`)}, exitFailed, "has to be a report.json"},
		"two that are no page": {
			[]string{"-f", recorded, "-f", recorded, "-o", "csv"}, exitUsage, "-o csv is of one report, and -f names 2",
		},
		"a file and a run":   {[]string{"-f", recorded, "first"}, exitUsage, "unknown command"},
		"a form of suites":   {[]string{"-f", recorded, "-o", "otava"}, exitUsage, "a run can be written as"},
		"a folder to write":  {[]string{"-f", recorded, "--out", t.TempDir()}, exitFailed, "is a directory"},
		"a folder not there": {[]string{"-f", recorded, "--out", "/nowhere/out.txt"}, exitFailed, "/nowhere/out.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errOut, code := alone(t, append([]string{"report"}, tc.arguments...)...)
			if code != tc.want || out != "" {
				t.Errorf("exit code %d, want %d; output %q", code, tc.want, out)
			}
			wantIn(t, errOut, tc.says)
		})
	}
}

// reported makes five runs with reports, whose p99 are this and a little more, and joins their names.
func reported(t *testing.T, namespace, name string, p99 int64) string {
	t.Helper()
	names := make([]string, 0, 5)
	for i := range cap(names) {
		made := createRun(t, namespace, fmt.Sprintf("%s-%d", name, i))
		storeReport(t, made)
		tell(t, made, func() { made.Status.Result.Steps[0].Operations[0].P99Micros = new(p99 + int64(i)) })
		names = append(names, made.Name)
	}
	return strings.Join(names, ",")
}

func TestCompareAsAPageHasTheRunsAndTheVerdicts(t *testing.T) {
	here := namespace(t)
	fast, slow := reported(t, here, "fast", 20_000), reported(t, here, "slow", 40_000)
	file := filepath.Join(t.TempDir(), "compared.html")
	out, errOut, code := run(t, here, "compare", fast, slow, "-o", "html", "--out", file)
	if code != 0 || out != "" {
		t.Fatalf("exit code %d, output %q: %s", code, out, errOut)
	}
	data := dataIn(t, file)
	if len(data.Runs) != 10 || data.Runs[0].Name != "fast-0" || data.Runs[9].Name != "slow-4" {
		t.Errorf("the runs of the page are %v", data.Runs)
	}
	if data.Comparison == nil {
		t.Fatal("the page has no comparison")
	}
	wantIn(t, data.Comparison.Note, "1 Regressed, 1 Unchanged")
	row := data.Comparison.Tables[0].first()
	for column, want := range map[string]string{
		"metric": "p99", "step": "mixed", "operation": "read", "of": "slow-0 and 4 more",
		"against": "fast-0 and 4 more", "verdict": "✖ Regressed", "runs": "5/5", "baseline": "20.0 ms/20002",
		"value": "40.0 ms/40002",
	} {
		if got := row[column]; got != want {
			t.Errorf("%s is %s, want %s", column, got, want)
		}
	}
}
