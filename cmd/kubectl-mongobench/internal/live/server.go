package live

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
)

// refresh is how often a page is told its ages anew when nothing else changes; it also finds browsers that went away.
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
	token, cookie string
	hosts         []string
	address       string
	store         *Store
	report        Report
	now           func() time.Time
	pages         *http.ServeMux
}

// NewServer makes one with a token of its own.
func NewServer(options Options) *Server {
	port := strconv.Itoa(options.Address.Port)
	s := &Server{
		// Of 26 letters and digits, which are more than 128 bits.
		token: rand.Text(), cookie: cookiePrefix + port, address: options.Address.String(),
		hosts: []string{options.Address.String(), net.JoinHostPort("localhost", port)},
		store: options.Store, report: options.Report, now: options.Now, pages: http.NewServeMux(),
	}
	s.pages.HandleFunc("GET /{$}", s.list)
	s.pages.HandleFunc("GET /events", s.events)
	s.pages.HandleFunc("GET /live.js", asset("live.js", "text/javascript; charset=utf-8"))
	s.pages.HandleFunc("GET /live.css", asset("live.css", "text/css; charset=utf-8"))
	for _, kind := range watched {
		s.pages.HandleFunc("GET /"+string(kind)+"/{namespace}/{name}", s.reportOf(kind))
	}
	return s
}

// URL is the address with the token, which is for the user alone.
func (s *Server) URL() string {
	return "http://" + s.address + "/?" + tokenParameter + "=" + s.token
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
	changes, end := s.store.wait()
	defer end()
	ticker := time.NewTicker(refresh)
	defer ticker.Stop()
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		if err := s.send(w); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-changes:
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
		if err := s.report(r.Context(), &page, kind, key); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Security-Policy", reportPolicy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.Bytes())
	}
}

func asset(name, kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		// What was compiled in can be read.
		content, _ := assets.ReadFile("assets/" + name)
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(content)
	}
}
