package main

import (
	"strings"
	"testing"
)

func TestFollow(t *testing.T) {
	for sentence, tc := range map[string]struct {
		lines  []string
		want   string
		failed string
		reason string
	}{
		"the closing line of a package is passed on": {
			lines: []string{`{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}`},
			want:  "ok  \tp\t0.1s\n",
		},
		"what a passing test prints is held back": {
			lines: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}`,
				`{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}`,
				`{"Action":"pass","Package":"p","Test":"TestA"}`,
				`{"Action":"output","Package":"p","Output":"PASS\n"}`,
			},
		},
		"what a failing test prints is passed on": {
			lines: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: wrong\n"}`,
				`{"Action":"fail","Package":"p","Test":"TestA"}`,
			},
			want:   "    a_test.go:3: wrong\n",
			failed: "TestA:\n    a_test.go:3: wrong\n",
		},
		"of a failing test only what it found is repeated": {
			lines: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}`,
				`{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}`,
				`{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: wrong\n"}`,
				`{"Action":"fail","Package":"p","Test":"TestA"}`,
			},
			want:   "=== RUN   TestA\nnoise\n    a_test.go:3: wrong\n",
			failed: "TestA:\n    a_test.go:3: wrong\n",
		},
		"a failing test that says nothing has its first lines repeated": {
			lines: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}`,
				`{"Action":"output","Package":"p","Test":"TestA","Output":"exit status 2\n"}`,
				`{"Action":"fail","Package":"p","Test":"TestA"}`,
			},
			want:   "=== RUN   TestA\nexit status 2\n",
			failed: "TestA:\nexit status 2\n",
		},
		"an error of the compiler is passed on": {
			lines: []string{`{"ImportPath":"p","Action":"build-output","Output":"a.go:1: syntax error\n"}`},
			want:  "a.go:1: syntax error\n",
		},
		"a line that is no event is passed on": {
			lines: []string{"go: no such module"},
			want:  "go: no such module\n",
		},
		"the reason of a skipped test is found": {
			lines: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}`,
				`{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:12: needs root: it makes namespaces\n"}`,
				`{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}`,
				`{"Action":"skip","Package":"p","Test":"TestA"}`,
			},
			reason: "needs root: it makes namespaces",
		},
		"a skip without a word is told as such": {
			lines:  []string{`{"Action":"skip","Package":"p","Test":"TestA"}`},
			reason: "no reason given",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			var out, failures strings.Builder
			skips, err := follow(strings.NewReader(strings.Join(tc.lines, "\n")+"\n"), &out, &failures)
			if err != nil {
				t.Fatal(err)
			}
			reasons := make([]string, 0, len(skips))
			for _, s := range skips {
				reasons = append(reasons, s.reason)
			}
			checkText(t, "printed", out.String(), tc.want)
			checkText(t, "repeated", failures.String(), tc.failed)
			checkText(t, "reason", strings.Join(reasons, ", "), tc.reason)
		})
	}
}

func checkText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s %q, want %q", what, got, want)
	}
}

func TestTellSkips(t *testing.T) {
	for sentence, tc := range map[string]struct {
		reason string
		has    bool
		want   int
	}{
		"a need that the machine lacks is excused": {reason: "needs mongos: sharding", want: 0},
		"a need that the machine meets is not":     {reason: "needs mongos: sharding", has: true, want: 1},
		"a need that a test run can meet is not":   {reason: "needs mongod: run make mongod", want: 1},
		"a skip for any other reason is not":       {reason: "flaky", want: 1},
	} {
		t.Run(sentence, func(t *testing.T) {
			var out strings.Builder
			got := tellSkips(&out, []skip{{"p", "TestA", tc.reason}}, func(string) bool { return tc.has })
			if got != tc.want {
				t.Errorf("%d unexcused skips, want %d", got, tc.want)
			}
			if !strings.Contains(out.String(), tc.reason) {
				t.Errorf("the reason %q is missing in:\n%s", tc.reason, out.String())
			}
		})
	}
}
