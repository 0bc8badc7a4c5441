package actions

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const marker = "<!-- mongobench: suite benchmarks/nightly -->\n"

// by is what stands below the Markdown.
const by = "\n\nWritten by [this run of the workflow](https://github.example/mongobench/example/actions/runs/42).\n"

// others are comments that are not to be touched: of people, of another suite, and one of somebody who has made his own
// begin as ours does.
func others() []comment {
	person := &user{"mallory", "User"}
	return []comment{
		{ID: 1, Body: "looks good", User: person},
		{ID: 2, Body: marker + "all is well", User: person},
		{ID: 3, Body: "<!-- mongobench: suite benchmarks/weekly -->\nthe other suite", User: &bot},
		{ID: 4, Body: "as said above:\n" + marker, User: &bot},
		{ID: 5, Body: "of somebody who is gone"},
	}
}

func TestTheSameCommentIsRenewed(t *testing.T) {
	for name, owner := range map[string]user{"of a workflow": bot, "of a person": {"mallory2", "User"}} {
		t.Run(name, func(t *testing.T) {
			github := newGitHub(t, others()...)
			github.owner, github.page = owner, 2
			job := newJob(t, github.URL)
			for i, markdown := range []string{"## The first\n", "## The second\n"} {
				job.file(t, markdown)
				got := job.succeed(t)
				want := map[string]string{"comment-id": "1000", "comment-url": "https://github.example/7#1000"}
				if diff := cmp.Diff(want, got.output); diff != "" {
					t.Errorf("outputs of run %d (-want +got):\n%s", i+1, diff)
				}
				made := comment{
					ID: 1000, HTMLURL: want["comment-url"], Body: marker + strings.TrimSuffix(markdown, "\n") + by, User: &owner,
				}
				if diff := cmp.Diff(append(others(), made), github.comments); diff != "" {
					t.Errorf("comments after run %d (-want +got):\n%s", i+1, diff)
				}
			}
		})
	}
}

func TestHostileMarkdownArrivesAsItIs(t *testing.T) {
	const hostile = "`$(touch /tmp/x)` ${TOKEN} \"quoted\" \\back\\slash 'single' %0A ::set-output name=x::y\n" +
		"@/etc/passwd --> <!-- mongobench: suite benchmarks/weekly -->\n\t\u2028\U0001F600 end"
	github := newGitHub(t)
	job := newJob(t, github.URL)
	job.file(t, hostile+"\x00")
	job.succeed(t)
	if diff := cmp.Diff(marker+hostile+by, github.comments[0].Body); diff != "" {
		t.Errorf("it is another text (-want +got):\n%s", diff)
	}
}

func TestALongCommentIsCutAtALine(t *testing.T) {
	const most = 65536
	line := strings.Repeat("\U0001F600", 99) + "\n"
	room := most - len(marker) - len(by)
	whole := strings.Repeat(line, room/100) + strings.Repeat("x", room%100)
	for name, tc := range map[string]struct {
		markdown string
		cut      bool
	}{
		"as long as one may be": {whole, false},
		"a character more":      {whole + "x", true},
		"a single line":         {strings.Repeat("x", most), true},
		"much more":             {strings.Repeat(line, 3*most/100), true},
	} {
		t.Run(name, func(t *testing.T) {
			github := newGitHub(t)
			job := newJob(t, github.URL)
			job.file(t, tc.markdown)
			job.succeed(t)
			body := github.comments[0].Body
			if cut := strings.Contains(body, "**Cut:**"); cut != tc.cut {
				t.Errorf("it is cut: %t, want %t", cut, tc.cut)
			}
			if count := len([]rune(body)); count > most || count < most-200 {
				t.Errorf("%d characters", count)
			}
			if halved := slices.IndexFunc(strings.Split(body, "\n"), func(line string) bool {
				return strings.HasPrefix(line, "\U0001F600") && len([]rune(line)) != 99
			}); halved >= 0 {
				t.Errorf("line %d is not whole", halved+1)
			}
		})
	}
}

func TestAnotherAttemptIsMade(t *testing.T) {
	soon := strconv.FormatInt(time.Now().Add(100*time.Second).Unix(), 10)
	ours := comment{ID: 900, HTMLURL: "https://github.example/7#900", Body: marker + "old", User: &bot}
	for name, tc := range map[string]struct {
		faults []fault
		// waits are patterns.
		waits []string
		// asked is how often for this.
		asked map[string]int
		there bool
	}{
		"servers in trouble": {
			[]fault{{of: "GET", status: 502}, {of: "GET " + issue, status: 503}, {of: "PATCH", status: 500}},
			[]string{"2", "2", "2"},
			map[string]int{"PATCH": 2},
			true,
		},
		"no answer": {
			[]fault{{of: "GET", dropped: true}, {of: "PATCH", dropped: true}},
			[]string{"2", "2"},
			map[string]int{"PATCH": 2},
			true,
		},
		"a longer and a longer pause": {
			[]fault{{of: "PATCH", status: 500}, {of: "PATCH", status: 500}, {of: "PATCH", status: 500}},
			[]string{"2", "4", "8"},
			map[string]int{"PATCH": 4},
			true,
		},
		"as long as the server says": {
			[]fault{
				{of: "PATCH", status: 403, headers: map[string]string{"Retry-After": "17"}, message: "secondary rate limit"},
				{of: "PATCH", status: 429, headers: map[string]string{"retry-after": "08"}},
			},
			[]string{"17", "8"},
			map[string]int{"PATCH": 3},
			true,
		},
		"a limit without a time": {
			[]fault{{of: "POST", status: 403, message: "You have exceeded a secondary rate limit."}},
			[]string{"60"},
			map[string]int{"POST": 2},
			false,
		},
		"a limit until then": {
			[]fault{{
				of: "GET", status: 403,
				headers: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": soon},
			}},
			[]string{"[1-9][0-9]?|10[01]"},
			map[string]int{"POST": 1},
			false,
		},
		"a comment that is made once": {
			[]fault{{of: "POST", status: 502, done: true}}, []string{"2"}, map[string]int{"POST": 1, "PATCH": 1}, false,
		},
		"a comment that was removed meanwhile": {
			[]fault{{of: "PATCH", status: 404, message: "Not Found"}}, nil, map[string]int{"PATCH": 2}, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			comments := others()
			if tc.there {
				comments = append(comments, ours)
			}
			github := newGitHub(t, comments...)
			github.faults = tc.faults
			job := newJob(t, github.URL)
			job.file(t, "## New\n")
			if got := job.succeed(t); len(github.faults) > 0 {
				t.Errorf("%d faults are left:\n%s", len(github.faults), got.said)
			}
			if diff := cmp.Diff(marker+"## New"+by, github.comments[len(others())].Body); diff != "" {
				t.Errorf("the comment (-want +got):\n%s", diff)
			}
			if count := len(github.comments); count != len(others())+1 {
				t.Errorf("%d comments, want one more than %d", count, len(others()))
			}
			wantAsked(t, github, tc.asked)
			wantWaits(t, job, tc.waits)
		})
	}
}

// wantAsked compares how often each method was asked for.
func wantAsked(t *testing.T, github *github, times map[string]int) {
	t.Helper()
	for method, want := range times {
		if got := strings.Count("\n"+strings.Join(github.asked, "\n"), "\n"+method+" "); got != want {
			t.Errorf("%d requests of %s, want %d: %v", got, method, want, github.asked)
		}
	}
}

// wantWaits compares how long it waited with patterns.
func wantWaits(t *testing.T, job *job, patterns []string) {
	t.Helper()
	waited := job.calls(t, "sleep")
	if len(waited) != len(patterns) {
		t.Fatalf("it waited %v, want %v", waited, patterns)
	}
	for i, pattern := range patterns {
		if seconds := strings.Join(waited[i], " "); !regexp.MustCompile("^(" + pattern + ")$").MatchString(seconds) {
			t.Errorf("wait %d is of %s seconds, want %s", i+1, seconds, pattern)
		}
	}
}

func TestItSaysWhatIsWrong(t *testing.T) {
	five := func(one fault) []fault { return []fault{one, one, one, one, one} }
	given := func(name, value string) func(*github, *job) {
		return func(_ *github, j *job) { j.with[name] = value }
	}
	faults := func(all ...fault) func(*github, *job) { return func(g *github, _ *job) { g.faults = all } }
	for name, tc := range map[string]struct {
		change func(*github, *job)
		says   string
	}{
		"a token that is not taken": {given("github-token", "ghs_other"), "401: Bad credentials%0Athe token is not taken"},
		"a token that may not write": {
			faults(fault{of: "POST", status: 403, message: "Resource not accessible by integration"}),
			"Resource not accessible by integration%0Athe token may not do that: give the job",
		},
		"a token that may not read": {
			faults(fault{of: "GET " + issue, status: 403, message: "Forbidden"}), "reading the comments of pull request 7",
		},
		"another pull request": {given("pull-request", "8"), "there is no pull request 8 in mongobench/example"},
		"a repository that moved": {
			faults(fault{of: "GET " + issue, status: 301, headers: map[string]string{"Location": "https://new.example"}}),
			"the repository is elsewhere now: https://new.example",
		},
		"what GitHub does not take": {
			faults(fault{of: "POST", status: 422, message: "Validation\nFailed 100%"}), "422: Validation%0AFailed 100%25",
		},
		"servers that stay in trouble": {faults(five(fault{of: "GET " + issue, status: 503})...), "answered with 503"},
		"a comment that never is":      {faults(five(fault{of: "POST", status: 502})...), "writing the comment"},
		"a limit that lasts": {
			faults(fault{of: "GET", status: 429, headers: map[string]string{"Retry-After": "3600"}}),
			"does not want to be asked for 3600 seconds",
		},
		"a server that is away": {given("api-url", "http://127.0.0.1:1"), "there is no answer from http://127.0.0.1:1"},
		"pages elsewhere": {
			func(g *github, _ *job) { g.elsewhere, g.page = "https://evil.example", 2 }, "the next page of comments is not at",
		},
		"an event without a pull request": {
			func(_ *github, j *job) { j.contexts["github.event.pull_request.number"] = "" }, "pull-request: give a number",
		},
		"a number with more":     {given("pull-request", "7/../8"), "pull-request: give a number"},
		"a repository of a path": {given("repository", "a/b/c"), "repository: give it as OWNER/NAME"},
		"plain http":             {given("api-url", "http://api.example/"), "api-url: give an https address"},
		"a host that looks near": {given("api-url", "http://127.0.0.1.evil.example"), "api-url: give an https address"},
		"a name before a host":   {given("api-url", "http://localhost:x@evil.example"), "api-url: give an https address"},
		"a suite that is none":   {given("suite", "a -->"), "suite: give the name"},
		"no token":               {given("github-token", ""), "github-token: it is empty"},
		"a token with more":      {given("github-token", "x\"\nurl = \"https://evil"), "github-token: it is empty, or"},
		"a file that is away":    {given("file", "/nowhere/report.md"), "file: there is no /nowhere/report.md"},
	} {
		t.Run(name, func(t *testing.T) {
			github := newGitHub(t, others()...)
			job := newJob(t, github.URL)
			job.file(t, "## New\n")
			tc.change(github, job)
			got := job.run(t)
			if got.code != 1 || got.output != nil {
				t.Errorf("it ended with %d and the outputs %v", got.code, got.output)
			}
			if !strings.Contains(got.said, "::error title=benchmark-comment::") || !strings.Contains(got.said, tc.says) {
				t.Errorf("it does not say %q:\n%s", tc.says, got.said)
			}
			if diff := cmp.Diff(others(), github.comments); diff != "" {
				t.Errorf("comments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutAFileThePluginReports(t *testing.T) {
	github := newGitHub(t)
	job := newJob(t, github.URL)
	job.program(t, "kubectl", `echo "## Suite nightly, revision 5e2f"`)
	job.succeed(t)
	want := [][]string{{"mongobench", "report", "suite/nightly", "--namespace", "benchmarks", "--output", "md"}}
	if diff := cmp.Diff(want, job.calls(t, "kubectl")); diff != "" {
		t.Errorf("kubectl (-want +got):\n%s", diff)
	}
	if body := github.comments[0].Body; body != marker+"## Suite nightly, revision 5e2f"+by {
		t.Errorf("the comment is\n%s", body)
	}
	// What it said before is not to stand for this run.
	job.program(t, "kubectl", `echo "half"; echo "error: suite nightly has no result" >&2; exit 1`)
	got := job.run(t)
	if got.code != 1 || !strings.Contains(got.said, "::suite nightly has no result: error: suite nightly has no result") {
		t.Errorf("it ended with %d:\n%s", got.code, got.said)
	}
	wanted := marker + "## Suite nightly has no result\n\n    error: suite nightly has no result" + by
	if diff := cmp.Diff(wanted, github.comments[0].Body); diff != "" {
		t.Errorf("the comment (-want +got):\n%s", diff)
	}
}

func TestTheServerChecksTheToken(t *testing.T) {
	github := newGitHub(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, github.URL+"/user", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "application/vnd.github+json")
	request.Header.Set("X-Github-Api-Version", "2022-11-28")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token it answers with %d", response.StatusCode)
	}
}
