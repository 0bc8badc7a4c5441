package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/live"
)

var printed = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\?token=[A-Z0-9]{26}\n`)

// browser has opened the page that ui serves.
type browser struct {
	*http.Client
	t       *testing.T
	address string
	page    string
}

// serve calls ui, and opens the address that it prints.
func serve(t *testing.T, namespace string, arguments ...string) *browser {
	t.Helper()
	called := start(t.Context(), nil, namespace, append([]string{"ui"}, arguments...)...)
	until(t, called.out, "token=")
	address := strings.TrimSpace(printed.FindString(called.out.String()))
	if address == "" {
		t.Fatalf("there is no address in %q", called.out)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{Client: &http.Client{Jar: jar, Timeout: patience}, t: t}
	status, page := b.get(address)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, page)
	}
	b.address, _, _ = strings.Cut(address, "/?")
	b.page = page
	return b
}

func (b *browser) get(address string) (status int, body string) {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		b.t.Fatal(err)
	}
	response, err := b.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response.StatusCode, string(content)
}

// listen reads the events of the page, and returns what the last of them showed.
func (b *browser) listen() *buffer {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.address+"/events", http.NoBody)
	if err != nil {
		b.t.Fatal(err)
	}
	shown := &buffer{}
	go func() {
		response, err := b.Do(request)
		if err != nil {
			return
		}
		defer func() { _ = response.Body.Close() }()
		if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
			shown.set("these are no events, but " + kind)
			return
		}
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var rows string
			data, isData := strings.CutPrefix(lines.Text(), "data: ")
			if isData && json.Unmarshal([]byte(data), &rows) == nil {
				shown.set(rows)
			}
		}
	}()
	return shown
}

func (b *buffer) set(text string) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.text.Reset()
	b.text.WriteString(text)
}

// without waits until something is not shown any more.
func without(t *testing.T, shown *buffer, words string) {
	t.Helper()
	deadline := time.After(patience)
	for strings.Contains(shown.String(), words) {
		select {
		case <-deadline:
			t.Fatalf("there still is %q in\n%s", words, shown)
		case <-time.After(quick):
		}
	}
}

func TestUIShowsWhatGoesOn(t *testing.T) {
	here, there := namespace(t), namespace(t)
	first := createRun(t, here, "first")
	createRun(t, there, "elsewhere")
	b := serve(t, here)
	wantIn(t, b.page, "<h2>Runs</h2>", "first", "for the operator", `src="/live.js"`)
	if strings.Contains(b.page, "elsewhere") || strings.Contains(b.page, "<a href") {
		t.Errorf("it shows another namespace, or a report that is not there:\n%s", b.page)
	}
	shown := b.listen()
	until(t, shown, "first")
	measuring(t, first, 40, 2900)
	until(t, shown, `<progress max="100" value="40"></progress> 40 %`)
	until(t, shown, "2,900 ops/s")
	second := createRun(t, here, "second")
	until(t, shown, "second")
	if err := environment.client.Delete(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	without(t, shown, "second")
	endSuite(t, createSuite(t, here, "compared"), "AllSucceeded", [2]string{"True", "MetricRegressed"})
	until(t, shown, `<tr class="bad"><th scope="row">compared</th>`)
	storeReport(t, first)
	until(t, shown, `<a href="/run/`+here+`/first">first</a>`)
	until(t, shown, "37.4 ms")
	for name, tc := range map[string]struct {
		path string
		want int
		says string
	}{
		"a report":                     {"/run/" + here + "/first", http.StatusOK, "<!DOCTYPE html>"},
		"a suite without a result":     {"/suite/" + here + "/compared", http.StatusNotFound, "has no result"},
		"a run that is not there":      {"/run/" + here + "/second", http.StatusNotFound, "not found"},
		"a run of another namespace":   {"/run/" + there + "/elsewhere", http.StatusNotFound, "only runs and suites of"},
		"a page that there is not":     {"/target/" + here + "/first", http.StatusNotFound, "not found"},
		"the script":                   {"/live.js", http.StatusOK, "EventSource"},
		"the style":                    {"/live.css", http.StatusOK, "table"},
		"the list, without its token":  {"/", http.StatusOK, "first"},
		"the list, with a wrong token": {"/?token=AAAAAAAAAAAAAAAAAAAAAAAAAA", http.StatusOK, "first"},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := b.get(b.address + tc.path)
			if status != tc.want || !strings.Contains(body, tc.says) {
				t.Errorf("status %d, want %d: %s", status, tc.want, body)
			}
		})
	}
}

func TestUIOfAllNamespaces(t *testing.T) {
	first, second := namespace(t), namespace(t)
	createRun(t, first, "one")
	createRun(t, second, "two")
	b := serve(t, first, "-A")
	wantIn(t, b.page, ">one<", ">two<", first, second)
}

func TestUIEscapesWhatItShows(t *testing.T) {
	here := namespace(t)
	made := createRun(t, here, "hostile")
	tell(t, made, func() {
		made.Status.Conditions = set(made.Generation, [4]string{"Accepted", "False", "Invalid", "<script>alert(1)</script>"})
	})
	b := serve(t, here)
	wantIn(t, b.page, "&lt;script&gt;alert(1)")
	if strings.Contains(b.page, "<script>alert") {
		t.Errorf("markup of an object is in the page:\n%s", b.page)
	}
}

func TestUIRefuses(t *testing.T) {
	b := serve(t, namespace(t))
	own, err := url.Parse(b.address)
	if err != nil {
		t.Fatal(err)
	}
	cookie := b.Jar.Cookies(own)[0]
	port := own.Port()
	cases := map[string]struct {
		change func(r *http.Request)
		want   int
	}{
		"nothing of the user's own":   {func(*http.Request) {}, http.StatusOK},
		"nor under its other name":    {func(r *http.Request) { r.Host = "localhost:" + port }, http.StatusOK},
		"nor what the user has typed": {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") }, http.StatusOK},
		"nor what its own page asks for": {
			func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") }, http.StatusOK,
		},
		"a name that resolves to this machine": {
			func(r *http.Request) { r.Host = "evil.example:" + port }, http.StatusMisdirectedRequest,
		},
		"its address with another port": {func(r *http.Request) { r.Host = "127.0.0.1:1" }, http.StatusMisdirectedRequest},
		"its address without a port":    {func(r *http.Request) { r.Host = "127.0.0.1" }, http.StatusMisdirectedRequest},
		"who has no token":              {func(r *http.Request) { r.Header.Del("Cookie") }, http.StatusForbidden},
		"who has another token": {
			func(r *http.Request) { r.Header.Set("Cookie", cookie.Name+"=AAAAAAAAAAAAAAAAAAAAAAAAAA") }, http.StatusForbidden,
		},
		"who has a part of the token": {
			func(r *http.Request) { r.Header.Set("Cookie", cookie.Name+"="+cookie.Value[:25]) }, http.StatusForbidden,
		},
		"who has the token in the address of something else": {
			func(r *http.Request) {
				r.Header.Del("Cookie")
				r.URL.Path, r.URL.RawQuery = "/events", "token="+cookie.Value
			}, http.StatusForbidden,
		},
		"a page of another site": {
			func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden,
		},
		"a page of another port": {
			func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, http.StatusForbidden,
		},
		"a request from elsewhere": {
			func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden,
		},
		"POST":    {func(r *http.Request) { r.Method = http.MethodPost }, http.StatusMethodNotAllowed},
		"OPTIONS": {func(r *http.Request) { r.Method = http.MethodOptions }, http.StatusMethodNotAllowed},
		"HEAD":    {func(r *http.Request) { r.Method = http.MethodHead }, http.StatusMethodNotAllowed},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.address+"/", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Cookie", cookie.Name+"="+cookie.Value)
			tc.change(request)
			wantAnswer(t, request, tc.want)
		})
	}
}

// wantAnswer wants a request to be answered so, and a refusal to tell nothing.
func wantAnswer(t *testing.T, request *http.Request, want int) {
	t.Helper()
	response, err := (&http.Client{Timeout: patience}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, _ := io.ReadAll(response.Body)
	if response.StatusCode != want {
		t.Errorf("status %d, want %d: %s", response.StatusCode, want, content)
	}
	told := response.Header.Get("Set-Cookie") != "" || strings.Contains(string(content), "mongobench</h1>")
	if want != http.StatusOK && told {
		t.Errorf("it tells something: %v\n%s", response.Header, content)
	}
	wantHardened(t, response.Header)
}

// wantHardened wants what every answer has to have, and nothing that lets others in.
func wantHardened(t *testing.T, header http.Header) {
	t.Helper()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'", "X-Content-Type-Options": "nosniff",
		"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := header.Get(name); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for name := range header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s: %s", name, header.Get(name))
		}
	}
}

func TestUIKeepsItsTokenInAStrictCookie(t *testing.T) {
	called := start(t.Context(), nil, namespace(t), "ui")
	until(t, called.out, "token=")
	address := strings.TrimSpace(printed.FindString(called.out.String()))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	// A link in a terminal that is itself a page: nothing but the token lets it in.
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err := (&http.Client{Timeout: patience}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	cookies := response.Cookies()
	if response.StatusCode != http.StatusOK || len(cookies) != 1 {
		t.Fatalf("status %d, cookies %v", response.StatusCode, cookies)
	}
	if got := cookies[0]; got.SameSite != http.SameSiteStrictMode || !got.HttpOnly || got.Path != "/" || got.Domain != "" {
		t.Errorf("the cookie is %+v", got)
	}
}

func TestUIEnds(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	called := start(ctx, nil, namespace(t), "ui")
	until(t, called.out, "token=")
	address, err := url.Parse(strings.TrimSpace(printed.FindString(called.out.String())))
	if err != nil {
		t.Fatal(err)
	}
	interrupt()
	if code := called.wait(t); code != 0 {
		t.Errorf("exit code %d: %s", code, called.errOut)
	}
	if connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address.Host); err == nil {
		_ = connection.Close()
		t.Error("something still listens")
	}
}

func TestUIServesThisMachineOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0", "::", "192.0.2.1", "example.org", ""} {
		_, errOut, code := run(t, "default", "ui", "--address", address)
		if code != exitUsage || !strings.Contains(errOut, "a loopback address only") {
			t.Errorf("%q: exit code %d: %s", address, code, errOut)
		}
	}
}

func TestUISaysAtOnceThatNothingMayBeSeen(t *testing.T) {
	_, errOut, code := run(t, namespace(t), "ui", "--as", "nobody")
	if code == 0 || !strings.Contains(errOut, "listing runs") {
		t.Errorf("exit code %d: %s", code, errOut)
	}
}

// faulty ends the first watches at once, and refuses while refuse is set.
type faulty struct {
	client.WithWatch
	watches chan struct{}
	refuse  chan struct{}
}

func (f *faulty) Watch(
	ctx context.Context, list client.ObjectList, options ...client.ListOption,
) (watch.Interface, error) {
	select {
	case <-f.refuse:
		return nil, errors.New("no watch today")
	default:
	}
	watching, err := f.WithWatch.Watch(ctx, list, options...)
	select {
	case <-f.watches:
		watching.Stop()
	default:
	}
	return watching, err
}

func TestUIGoesOnWhenWatchesEnd(t *testing.T) {
	config, err := clientcmd.BuildConfigFromFlags("", environment.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	watching, err := client.NewWithWatch(config, client.Options{Scheme: environment.client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	here := namespace(t)
	cut := &faulty{WithWatch: watching, watches: make(chan struct{}, 4), refuse: make(chan struct{}, 1)}
	for range cap(cut.watches) {
		cut.watches <- struct{}{}
	}
	cut.refuse <- struct{}{}
	watcher := &live.Watcher{Client: cut, Namespace: here, Store: live.NewStore(), Pause: quick}
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	address, _ := listener.Addr().(*net.TCPAddr)
	pages := live.NewServer(live.Options{
		Address: address, Store: watcher.Store, Now: time.Now,
		Report: func(context.Context, io.Writer, cluster.Kind, client.ObjectKey) error { return errors.New("none") },
	})
	go func() { _ = serveUntil(t.Context(), listener, pages, watcher) }()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{Client: &http.Client{Jar: jar, Timeout: patience}, t: t, address: "http://" + address.String()}
	if status, page := b.get(pages.URL()); status != http.StatusOK {
		t.Fatalf("status %d: %s", status, page)
	}
	shown := b.listen()
	createRun(t, here, "late")
	until(t, shown, "late")
	without(t, shown, "What is shown may be old")
	deadline := time.After(patience)
	for len(cut.watches)+len(cut.refuse) > 0 {
		select {
		case <-deadline:
			t.Fatalf("%d faults did not happen", len(cut.watches)+len(cut.refuse))
		case <-time.After(quick):
		}
	}
}
