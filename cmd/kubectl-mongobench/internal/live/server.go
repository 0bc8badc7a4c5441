package live

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
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
	changes, end := s.Store.wait()
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
