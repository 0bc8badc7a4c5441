package live

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/follow"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/present"
	apisuite "github.com/mongobench/mongobench-operator/internal/suite"
)

// mostRows of each kind are shown, the youngest of them.
const mostRows = 500

//go:embed assets
var assets embed.FS

// templates escape whatever they show.
var templates = template.Must(template.ParseFS(assets, "assets/*.html"))

// view is what the rows show.
type view struct {
	Trouble      []string
	Suites, Runs []row
	// MoreSuites and MoreRuns are not shown.
	MoreSuites, MoreRuns int
}

// row is a run or a suite.
type row struct {
	Namespace, Name string
	// Link to its report; empty until there is one.
	Link string
	// Stage with what is told of it, and Percent of it; negative when it is not known.
	Stage, Detail string
	Percent       int
	// Outcome in one or two words; Mood is the class that its colour goes by.
	Outcome, Mood string
	Rate, P99     string
	Age           string
}

// rows are the tables of everything that is known, in HTML.
func (s *Server) rows() (template.HTML, error) {
	known, now := s.Store.now(), s.Now()
	shown := view{Trouble: known.trouble}
	for _, suite := range known.suites[:min(len(known.suites), mostRows)] {
		shown.Suites = append(shown.Suites, suiteRow(suite, known.runs, now))
	}
	for _, run := range known.runs[:min(len(known.runs), mostRows)] {
		shown.Runs = append(shown.Runs, runRow(run, now))
	}
	shown.MoreSuites = len(known.suites) - len(shown.Suites)
	shown.MoreRuns = len(known.runs) - len(shown.Runs)
	var text bytes.Buffer
	if err := templates.ExecuteTemplate(&text, "rows.html", shown); err != nil {
		return "", err
	}
	return template.HTML(text.String()), nil //nolint:gosec // A template has made it, which escapes.
}

func runRow(run *benchv1alpha1.BenchmarkRun, now time.Time) row {
	found := rowOf(cluster.Run, run.ObjectMeta, follow.OfRun(run), now)
	found.Outcome = show.Outcome(run)
	if result := run.Status.Result; result != nil {
		found.Rate, found.P99 = present.Count(ptr.Deref(result.OperationsPerSecond, 0)), result.P99
	} else {
		found.Link = ""
	}
	return found
}

func suiteRow(suite *benchv1alpha1.BenchmarkSuite, runs []*benchv1alpha1.BenchmarkRun, now time.Time) row {
	var own []benchv1alpha1.BenchmarkRun
	for _, run := range runs {
		if run.Namespace == suite.Namespace && run.Labels[apisuite.Label] == suite.Name {
			own = append(own, *run)
		}
	}
	found := rowOf(cluster.Suite, suite.ObjectMeta, follow.OfSuite(suite, own), now)
	found.Outcome = show.Verdict(suite)
	if suite.Status.Result == nil {
		found.Link = ""
	}
	return found
}

func rowOf(kind cluster.Kind, object metav1.ObjectMeta, at follow.State, now time.Time) row {
	found := row{
		Namespace: object.Namespace, Name: object.Name, Link: "/" + strings.Join([]string{
			string(kind), object.Namespace, object.Name,
		}, "/"),
		Stage: at.Stage, Detail: at.Detail, Percent: at.Percent, Mood: moods[at.Ending],
		Age: duration.HumanDuration(now.Sub(object.CreationTimestamp.Time)),
	}
	if at.Step != "" {
		found.Detail = at.Step
	}
	if at.Ending != follow.Open {
		found.Detail, found.Percent = at.Message, -1
	} else if at.Rate > 0 {
		found.Rate = fmt.Sprintf("%s %s", present.Count(at.Rate), at.Unit)
	}
	return found
}

// moods are the classes of the style by endings.
var moods = map[follow.Ending]string{
	follow.Open: "open", follow.Succeeded: "good", follow.Failed: "bad", follow.Regressed: "bad", follow.Refused: "bad",
}
