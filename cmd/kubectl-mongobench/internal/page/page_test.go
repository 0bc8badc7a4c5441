package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// maxPageBytes is what a page of half an hour, 8 operations and 12 servers may take: a mail takes it, and a browser
// opens it at once.
const maxPageBytes = 3_000_000

func written(t *testing.T, sources ...page.Source) string {
	t.Helper()
	var out bytes.Buffer
	if err := page.Write(&out, sources); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var (
	scripts = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	styles  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	embeds  = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)
	policy  = regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`)
)

func TestAPageOfHalfAnHourIsNotTooLarge(t *testing.T) {
	long := built(t, shape{seconds: 1800, operations: 8, servers: 12, seed: 1})
	whole := written(t, page.Source{Name: "long", Report: long})
	t.Logf("the page has %d bytes", len(whole))
	if len(whole) > maxPageBytes {
		t.Errorf("the page has %d bytes, want %d at most", len(whole), maxPageBytes)
	}
}

// TestThePolicyAllowsWhatThePageHasAndNoMore compares the hashes with the scripts and the style as a browser sees them.
func TestThePolicyAllowsWhatThePageHasAndNoMore(t *testing.T) {
	whole := written(t, page.Source{Name: "one", Report: built(t, shape{seconds: 40, operations: 2, servers: 1})})
	said := policy.FindStringSubmatch(whole)
	if said == nil {
		t.Fatal("the page has no policy")
	}
	if !strings.HasPrefix(said[1], "default-src 'none'; ") || strings.Contains(said[1], "unsafe") {
		t.Errorf("the policy is %s", said[1])
	}
	found := append(scripts.FindAllStringSubmatch(whole, -1), styles.FindAllStringSubmatch(whole, -1)...)
	if len(found) < 3 {
		t.Fatalf("the page has %d scripts and styles", len(found))
	}
	for _, one := range found {
		sum := sha256.Sum256([]byte(one[1]))
		if hash := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(said[1], "'sha256-"+hash+"'") {
			t.Errorf("the policy does not allow what begins with %.60q", one[1])
		}
	}
	if hashes := strings.Count(said[1], "sha256-"); hashes != len(found) {
		t.Errorf("the policy has %d hashes, and the page %d scripts and styles", hashes, len(found))
	}
}

// hostile names try to get out of whatever they are put into.
const hostile = `</script><script>alert(1)</script><!-- "quoted" 'single' & <b>bold</b> {{data}} {{scripts}}`

func hostileReport(t *testing.T) reportv1.Report {
	t.Helper()
	report := built(t, shape{seconds: 40, operations: 2, servers: 2})
	report.Steps[1].Name = hostile
	report.Steps[1].Operations[0].Name = hostile
	report.Steps[1].Operations[0].ErrorClasses[0].FirstMessage = hostile
	report.Members[0].Name = hostile
	report.Server.StartupWarnings = []string{hostile}
	return report
}

func TestHostileNamesStayText(t *testing.T) {
	harmless := written(t, page.Source{Name: "one", Report: built(t, shape{seconds: 40, operations: 2, servers: 2})})
	whole := written(t, page.Source{
		Name: hostile, Report: hostileReport(t), Facts: []present.Fact{{Name: hostile, Text: hostile}},
	})
	for _, end := range []string{"</script>", "<script", "<!--", "<b>"} {
		if got, want := strings.Count(whole, end), strings.Count(harmless, end); got != want {
			t.Errorf("%s is there %d times, want %d", end, got, want)
		}
	}
	var data page.Data
	decodeData(t, whole, &data)
	if data.Title != hostile || data.Runs[0].Name != hostile {
		t.Errorf("the title is %q", data.Title)
	}
	wellFormed(t, whole)
}

// decodeData reads the data out of a page, as far as it is not of a type that only writes itself.
func decodeData(t *testing.T, whole string, into *page.Data) {
	t.Helper()
	found := embeds.FindStringSubmatch(whole)
	if found == nil {
		t.Fatal("the page has no data")
	}
	var parts struct {
		Title string `json:"title"`
		Runs  []struct {
			Name string `json:"name"`
		} `json:"runs"`
	}
	if err := json.Unmarshal([]byte(found[1]), &parts); err != nil {
		t.Fatalf("the data is no JSON: %v", err)
	}
	into.Title = parts.Title
	for _, run := range parts.Runs {
		into.Runs = append(into.Runs, page.Run{Name: run.Name})
	}
}

// wellFormed reads a page as XML, without what scripts and styles hold: the shell is written so that it is both.
func wellFormed(t *testing.T, whole string) {
	t.Helper()
	bare := scripts.ReplaceAllString(styles.ReplaceAllString(embeds.ReplaceAllString(whole, ""), ""), "")
	bare, _ = strings.CutPrefix(bare, "<!DOCTYPE html>")
	reader := xml.NewDecoder(strings.NewReader(bare))
	for {
		_, err := reader.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
	}
}

func TestAPageIsWellFormedAndLeadsNowhere(t *testing.T) {
	for name, sources := range map[string][]page.Source{
		"a run":       {{Name: "one", Report: built(t, shape{seconds: 40, operations: 3, servers: 3})}},
		"three runs":  {{Name: "a"}, {Name: "b", Report: built(t, shape{seconds: 5, operations: 1})}, {Name: "c"}},
		"an open run": {{Name: "open", Report: built(t, shape{seconds: 40, operations: 2, servers: 1, open: true})}},
		"nothing":     {{Name: "empty", Report: reportv1.Report{Version: reportv1.Version, Steps: []reportv1.Step{}}}},
	} {
		t.Run(name, func(t *testing.T) {
			whole := written(t, sources...)
			wellFormed(t, whole)
			leadsNowhere(t, "shell", scripts.ReplaceAllString(embeds.ReplaceAllString(whole, ""), ""),
				"://", "url(", "@import", "src=\"", "href=\"//")
			for _, script := range scripts.FindAllStringSubmatch(whole, -1) {
				leadsNowhere(t, "script", script[1], "fetch(", "XMLHttpRequest", "WebSocket", "import(", "innerHTML", "eval(")
			}
		})
	}
}

func leadsNowhere(t *testing.T, part, content string, words ...string) {
	t.Helper()
	for _, word := range words {
		if strings.Contains(content, word) {
			t.Errorf("the %s that begins with %.60q has %q", part, content, word)
		}
	}
}

func TestAPageOfNothingIsRefused(t *testing.T) {
	if err := page.Write(io.Discard, nil); err == nil {
		t.Error("a page of no run was written")
	}
}
