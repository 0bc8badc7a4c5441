package live

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/present"
	apisuite "github.com/mongobench/mongobench-operator/internal/suite"
)

// refresh is how often a page is told its ages when nothing else changes; it also finds browsers that went away.
const refresh = 10 * time.Second

// Report writes the page of a run or suite that has ended: a whole HTML document.
type Report func(ctx context.Context, to io.Writer, kind cluster.Kind, key client.ObjectKey) error

// Options of a Server. All are required.
type Options struct {
	// Address that is listened at.
	Address *net.TCPAddr
	Store   *Store
	Report  Report
	Now     func() time.Time
}

// Server answers a browser of the user.
type Server struct {
	Options

	token, cookie string
	hosts         []string
	pages         *http.ServeMux
}

// NewServer makes one with a token of its own.
func NewServer(options Options) *Server {
	port := strconv.Itoa(options.Address.Port)
	s := &Server{
		// Of 26 letters and digits, which are more than 128 bits.
		Options: options, token: rand.Text(), cookie: cookiePrefix + port, pages: http.NewServeMux(),
		hosts: []string{options.Address.String(), net.JoinHostPort("localhost", port)},
	}
	s.pages.HandleFunc("GET /{$}", s.list)
	s.pages.HandleFunc("GET /events", s.events)
	// What was compiled in can be read.
	static, _ := fs.Sub(assets, "assets")
	s.pages.Handle("GET /live.js", http.FileServerFS(static))
	s.pages.Handle("GET /live.css", http.FileServerFS(static))
	for _, kind := range watched {
		s.pages.HandleFunc("GET /"+string(kind)+"/{namespace}/{name}", s.reportOf(kind))
	}
	return s
}

// URL is the address with the token, which is for the user alone.
func (s *Server) URL() string {
	return "http://" + s.Address.String() + "/?" + tokenParameter + "=" + s.token
}

// ServeHTTP answers what check does not refuse.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	harden(w.Header())
	withToken, no := s.check(r)
	if no != nil {
		if no.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", http.MethodGet)
		}
		http.Error(w, no.why, no.status)
		return
	}
	if withToken {
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure is for https, which a loopback address has no use for.
			Name: s.cookie, Value: s.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		})
	}
	s.pages.ServeHTTP(w, r)
}

// list is the page itself. It holds what is known already; its script then keeps it up to date.
func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	rows, err := s.rows()
	var page bytes.Buffer
	if err == nil {
		err = templates.ExecuteTemplate(&page, "page.html", rows)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page.Bytes())
}

// events sends the rows after every change, and now and then because of their ages, until the browser goes away.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	ticker := time.NewTicker(refresh)
	defer ticker.Stop()
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		changed := s.Store.changed()
		if err := s.send(w); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-ticker.C:
		}
	}
}

func (s *Server) send(w http.ResponseWriter) error {
	rows, err := s.rows()
	if err != nil {
		return err
	}
	// JSON has no line ends of its own, which would end the event.
	encoded, err := json.Marshal(string(rows))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "event: rows\ndata: %s\n\n", encoded); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// reportOf is the page of one run or suite.
func (s *Server) reportOf(kind cluster.Kind) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key := client.ObjectKey{Namespace: r.PathValue("namespace"), Name: r.PathValue("name")}
		var page bytes.Buffer
		if err := s.Report(r.Context(), &page, kind, key); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Security-Policy", reportPolicy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.Bytes())
	}
}

const (
	// cookiePrefix begins the name of the cookie with the token. Cookies are the same for all ports of an address, so that
	// the port is in the name.
	cookiePrefix = "mongobench-ui-"
	// tokenParameter has the token in the address that is printed.
	tokenParameter = "token"
	// listPolicy allows the list its own script, its own style and its own events.
	listPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	// reportPolicy allows a report what lies in it, and nothing from elsewhere; the report itself has a stricter one.
	reportPolicy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// refused is an answer to a request that is not the user's own.
type refused struct {
	status int
	why    string
}

// check says why a request is refused; nil when it is not. withToken says that the token came in the address.
//
//	Host            a name that resolves to this machine (DNS rebinding) is not one of ours
//	Origin, Fetch   a page of another site, or of another port of this machine, asks
//	token           another user of this machine asks
func (s *Server) check(r *http.Request) (withToken bool, no *refused) {
	withToken = r.URL.Path == "/" && s.isToken(r.URL.Query().Get(tokenParameter))
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	switch {
	case !slices.Contains(s.hosts, r.Host):
		return false, &refused{http.StatusMisdirectedRequest, "this address is not served here"}
	case r.Method != http.MethodGet:
		return false, &refused{http.StatusMethodNotAllowed, "only GET is answered"}
	case origin != "" && origin != "http://"+r.Host:
		return false, &refused{http.StatusForbidden, "pages of others are not answered"}
	case withToken:
		return true, nil
	case site != "" && site != "same-origin" && site != "none":
		return false, &refused{http.StatusForbidden, "pages of others are not answered"}
	}
	cookie, err := r.Cookie(s.cookie)
	if err != nil || !s.isToken(cookie.Value) {
		return false, &refused{http.StatusForbidden, "open the whole address that kubectl mongobench ui has printed"}
	}
	return false, nil
}

func (s *Server) isToken(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(s.token)) == 1
}

// harden sets what every answer has.
func harden(header http.Header) {
	header.Set("Content-Security-Policy", listPolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
}

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
	// Step that Rate and P99 are of; those of a suite have none.
	Step, Rate, P99 string
	Age             string
}

// rows are the tables of everything that is known, in HTML.
func (s *Server) rows() (template.HTML, error) {
	runs, suites, trouble := s.Store.now()
	now, shown := s.Now(), view{Trouble: trouble}
	for _, suite := range suites[:min(len(suites), mostRows)] {
		shown.Suites = append(shown.Suites, suiteRow(suite, runs, now))
	}
	for _, run := range runs[:min(len(runs), mostRows)] {
		shown.Runs = append(shown.Runs, runRow(run, now))
	}
	shown.MoreSuites = len(suites) - len(shown.Suites)
	shown.MoreRuns = len(runs) - len(shown.Runs)
	var text bytes.Buffer
	if err := templates.ExecuteTemplate(&text, "rows.html", shown); err != nil {
		return "", err
	}
	return template.HTML(text.String()), nil //nolint:gosec // A template has made it, which escapes.
}

func runRow(run *benchv1alpha1.BenchmarkRun, now time.Time) row {
	found := rowOf(cluster.Run, run.ObjectMeta, show.StateOfRun(run), now)
	found.Outcome = show.Outcome(run)
	if summary := run.Status.Summary; summary != nil {
		found.Step = show.Step(summary)
		found.Rate, found.P99 = present.Count(ptr.Deref(summary.OperationsPerSecond, 0)), summary.P99
	}
	if run.Status.Result == nil {
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
	found := rowOf(cluster.Suite, suite.ObjectMeta, show.StateOfSuite(suite, own), now)
	found.Outcome = show.Verdict(suite)
	if suite.Status.Result == nil {
		found.Link = ""
	}
	return found
}

func rowOf(kind cluster.Kind, object metav1.ObjectMeta, at show.State, now time.Time) row {
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
	if at.Ending != show.Open {
		found.Detail, found.Percent = at.Message, -1
	} else if at.Rate > 0 {
		found.Rate = fmt.Sprintf("%s %s", present.Count(at.Rate), at.Unit)
	}
	return found
}

// moods are the classes of the style by endings.
var moods = map[show.Ending]string{
	show.Open: "open", show.Succeeded: "good", show.Failed: "bad", show.Regressed: "bad", show.Refused: "bad",
}
