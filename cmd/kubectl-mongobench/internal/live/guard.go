package live

import (
	"crypto/subtle"
	"net/http"
	"slices"
)

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
//	token           anybody else on this machine asks
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
