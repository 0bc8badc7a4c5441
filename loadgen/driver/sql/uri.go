package sql

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Scheme is what a connection string of MariaDB or MySQL begins with.
const Scheme = "mysql://"

// defaultPort is what such servers listen at.
const defaultPort = "3306"

// Location is what a connection string says.
type Location struct {
	User, Password string
	// Network is tcp or unix, and Address host:port or the path of a socket.
	Network, Address string
	// TLS is TLSOff, TLSVerified or TLSUnverified.
	TLS TLS
	// CAFile holds the authorities, in PEM, that the server's certificate is signed by. Empty: the system's.
	CAFile string
	// HandlerSocket is nil where the connection string names none.
	HandlerSocket *HandlerSocket
}

// TLS says whether a connection is encrypted, and whether the server's certificate is verified.
type TLS string

// The values of the option tls.
const (
	TLSOff        TLS = "false"
	TLSVerified   TLS = "true"
	TLSUnverified TLS = "skip-verify"
)

// HandlerSocket is where a server takes requests of that protocol, at the host of the connection string.
type HandlerSocket struct {
	// Port takes reads, and WritePort reads and writes.
	Port, WritePort int
	Secret          string
}

// options are the names of all options, for whoever misspells one.
var options = []string{
	"handlersocketPort", "handlersocketSecret", "handlersocketWritePort", "socket", "tls", "tlsCA",
}

// Parse reads a connection string: mysql://user:password@host:3306/?tls=true. Errors hold nothing of it but the names
// of options that there are, since any other part may be a secret.
func Parse(uri string) (Location, error) {
	parsed, err := url.Parse(uri)
	if err != nil || parsed.Scheme+"://" != Scheme || parsed.Opaque != "" || parsed.Fragment != "" {
		return Location{}, errors.New("connection string: it is not of the form mysql://user:password@host:3306/?option=" +
			"value; what is special in URLs has to be written as %XX in a name or password")
	}
	if strings.Contains(parsed.Host, ",") {
		return Location{}, errors.New("connection string: it names several hosts; the load goes to one server")
	}
	if strings.Trim(parsed.Path, "/") != "" {
		return Location{}, errors.New("connection string: it names a database; the run says which, in dataset.database")
	}
	location := Location{Network: "tcp", Address: address(parsed), TLS: TLSOff, User: parsed.User.Username()}
	location.Password, _ = parsed.User.Password()
	values, err := url.ParseQuery(parsed.RawQuery)
	if err != nil {
		return Location{}, errors.New("connection string: its options are not of the form name=value&name=value")
	}
	for name := range values {
		if !slices.Contains(options, name) {
			return Location{}, errors.New("connection string: one of its options is not known; there are " +
				strings.Join(options, ", ") + "; what is special in URLs has to be written as %XX in a secret")
		}
	}
	if socket := values.Get("socket"); socket != "" {
		location.Network, location.Address = "unix", socket
	}
	if err := location.secure(values); err != nil {
		return Location{}, err
	}
	return location, location.handlerSocket(values)
}

func address(parsed *url.URL) string {
	host, port := parsed.Hostname(), parsed.Port()
	if host == "" {
		host = "127.0.0.1"
	}
	if port == "" {
		port = defaultPort
	}
	return net.JoinHostPort(host, port)
}

// secure reads the options of TLS.
func (l *Location) secure(values url.Values) error {
	l.CAFile = values.Get("tlsCA")
	if l.CAFile != "" {
		l.TLS = TLSVerified
	}
	switch asked := TLS(values.Get("tls")); asked {
	case "":
	case TLSOff, TLSVerified, TLSUnverified:
		if l.CAFile != "" && asked != TLSVerified {
			return errors.New("connection string: tlsCA is there to verify by, and tls says not to")
		}
		l.TLS = asked
	default:
		return errors.New("connection string: tls is true, false or skip-verify")
	}
	return nil
}

// handlerSocket reads the options of HandlerSocket.
func (l *Location) handlerSocket(values url.Values) error {
	found := &HandlerSocket{Secret: values.Get("handlersocketSecret")}
	for name, port := range map[string]*int{
		"handlersocketPort": &found.Port, "handlersocketWritePort": &found.WritePort,
	} {
		text := values.Get(name)
		if text == "" {
			continue
		}
		number, err := strconv.ParseUint(text, 10, 16)
		if err != nil || number == 0 {
			return fmt.Errorf("connection string: %s is no port", name)
		}
		*port = int(number)
	}
	if found.Port != 0 || found.WritePort != 0 {
		l.HandlerSocket = found
	}
	return nil
}
