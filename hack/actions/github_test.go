package actions

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// user and comment are what GitHub tells of them, as far as it matters.
type user struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

type comment struct {
	ID      int64  `json:"id"`
	HTMLURL string `json:"html_url"`
	Body    string `json:"body"`
	User    *user  `json:"user"`
}

// bot is who the token of a workflow is.
var bot = user{"github-actions[bot]", "Bot"}

// fault is an answer in place of the right one.
type fault struct {
	// of is the method of the requests that it is for, and the path's end where that is not enough.
	of      string
	status  int
	headers map[string]string
	message string
	// done says that what was asked for is done all the same; dropped that there is no answer.
	done, dropped bool
}

// github answers as GitHub does, for one pull request.
type github struct {
	*httptest.Server
	t *testing.T

	lock sync.Mutex
	// owner of the token.
	owner    user
	comments []comment
	// page is how many comments are told at once, whatever is asked for.
	page int
	// faults are taken in turn.
	faults []fault
	asked  []string
	next   int64
	// elsewhere is where the next page of comments is said to be.
	elsewhere string
}

const issue = "/repos/mongobench/example/issues/7/comments"

// newGitHub has these comments.
func newGitHub(t *testing.T, comments ...comment) *github {
	t.Helper()
	g := &github{t: t, owner: bot, page: 100, comments: comments, next: 1000}
	g.Server = httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(g.Close)
	return g
}

func (g *github) serve(w http.ResponseWriter, r *http.Request) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.asked = append(g.asked, r.Method+" "+r.URL.Path)
	for header, want := range map[string]string{
		"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28",
	} {
		if got := r.Header.Get(header); got != want {
			g.t.Errorf("%s %s: %s is %q, want %q", r.Method, r.URL.Path, header, got, want)
		}
	}
	if r.Header.Get("Authorization") != "Bearer "+token {
		answer(w, http.StatusUnauthorized, map[string]string{"message": "Bad credentials"})
		return
	}
	if at := slices.IndexFunc(g.faults, func(f fault) bool {
		return f.of == r.Method || f.of == r.Method+" "+r.URL.Path
	}); at >= 0 {
		one := g.faults[at]
		g.faults = slices.Delete(g.faults, at, at+1)
		g.fail(w, r, one)
		return
	}
	g.right(w, r)
}

func (g *github) fail(w http.ResponseWriter, r *http.Request, one fault) {
	if one.done {
		g.right(httptest.NewRecorder(), r)
	}
	if one.dropped {
		panic(http.ErrAbortHandler)
	}
	for name, value := range one.headers {
		w.Header().Set(name, value)
	}
	answer(w, one.status, map[string]string{"message": one.message})
}

// right is the right answer.
func (g *github) right(w http.ResponseWriter, r *http.Request) {
	id, changes := strings.CutPrefix(r.URL.Path, "/repos/mongobench/example/issues/comments/")
	switch asked := r.Method + " " + r.URL.Path; {
	case asked == "GET /user":
		g.whose(w)
	case asked == "GET "+issue:
		g.list(w, r)
	case asked == "POST "+issue:
		g.make(w, r)
	case r.Method == http.MethodPatch && changes:
		g.change(w, r, id)
	default:
		missing(w)
	}
}

func (g *github) whose(w http.ResponseWriter) {
	if g.owner.Type == "Bot" {
		answer(w, http.StatusForbidden, map[string]string{"message": "Resource not accessible by integration"})
	} else {
		answer(w, http.StatusOK, g.owner)
	}
}

func (g *github) make(w http.ResponseWriter, r *http.Request) {
	made := comment{ID: g.next, HTMLURL: fmt.Sprintf("https://github.example/7#%d", g.next), User: new(g.owner)}
	if g.take(w, r, &made) {
		g.next++
		g.comments = append(g.comments, made)
		answer(w, http.StatusCreated, made)
	}
}

func (g *github) change(w http.ResponseWriter, r *http.Request, id string) {
	at := slices.IndexFunc(g.comments, func(c comment) bool { return strconv.FormatInt(c.ID, 10) == id })
	if at < 0 {
		missing(w)
	} else if g.take(w, r, &g.comments[at]) {
		answer(w, http.StatusOK, g.comments[at])
	}
}

func missing(w http.ResponseWriter) {
	answer(w, http.StatusNotFound, map[string]string{"message": "Not Found"})
}

// list tells a page, and where the next one is, in the form of an address that is another one than the first page's.
func (g *github) list(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("per_page") != "100" {
		g.t.Errorf("it asks for pages of %q", r.URL.Query().Get("per_page"))
	}
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	page = max(page, 1)
	first, last := min((page-1)*g.page, len(g.comments)), min(page*g.page, len(g.comments))
	if last < len(g.comments) {
		at := g.elsewhere
		if at == "" {
			at = g.URL
		}
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?per_page=100&page=1>; rel="first", <%s%s?per_page=100&page=%d>; rel="next"`,
			at, issue, at, issue, page+1))
	}
	answer(w, http.StatusOK, append([]comment{}, g.comments[first:last]...))
}

// take reads the body of a comment, and refuses what GitHub does.
func (g *github) take(w http.ResponseWriter, r *http.Request, into *comment) bool {
	var sent struct {
		Body string `json:"body"`
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&sent); err != nil || r.Header.Get("Content-Type") != "application/json" {
		g.t.Errorf("the body cannot be read: %v", err)
		answer(w, http.StatusBadRequest, map[string]string{"message": "Problems parsing JSON"})
		return false
	}
	if count := len([]rune(sent.Body)); count == 0 || count > 65536 {
		answer(w, http.StatusUnprocessableEntity, map[string]string{"message": "Body is too long"})
		return false
	}
	into.Body = sent.Body
	return true
}

func answer(w http.ResponseWriter, status int, what any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(what)
}
