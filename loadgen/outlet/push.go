package outlet

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// Protocol is how figures are sent.
type Protocol string

// The protocols that figures are sent by.
const (
	// OTLP is OpenTelemetry's, over HTTP with Protocol Buffers.
	OTLP Protocol = "OTLP"
	// RemoteWrite is Prometheus's, in its version 1.
	RemoteWrite Protocol = "RemoteWrite"
)

const (
	// pushTimeout is how long a receiver may take to answer.
	pushTimeout = 5 * time.Second
	// maxAnswer is how much is read of what a receiver answers, and maxSaid how much of that is told.
	maxAnswer, maxSaid = 4096, 200
)

// Receiver is where figures are sent to, and how.
type Receiver struct {
	Protocol Protocol
	// URL that figures are posted to, without a user's name and password.
	URL string
	// Interval between two times that they are sent.
	Interval time.Duration
	// Headers of each request. They may be secret.
	Headers http.Header
	// CA are certificates in PEM that the receiver's is checked by; nil: those of the system.
	CA []byte
	// Labels of all figures.
	Labels map[string]string
}

// Name says what it is, for people: without the path and the query, which may be secret.
func (r Receiver) Name() string {
	where, err := url.Parse(r.URL)
	if err != nil {
		return string(r.Protocol)
	}
	return fmt.Sprintf("%s to %s://%s", r.Protocol, where.Scheme, where.Host)
}

// Push sends the figures that a scrape of the pod would have to a receiver, every so often, after each step, and at the
// end. They are sums since the begin of a step, so that what is not received once is in what is sent next.
type Push struct {
	receiver Receiver
	figures  prometheus.Gatherer
	client   *http.Client
	// encode makes the body of a request, of a kind.
	encode func(families []*dto.MetricFamily, at time.Time) ([]byte, error)
	kind   http.Header

	// now asks for a push that does not wait for its time.
	now     chan struct{}
	sending *ticking
	result  reportv1.Outlet
}

// NewPush begins to send figures.
func NewPush(to Receiver, figures prometheus.Gatherer) (*Push, error) {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if to.CA != nil {
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(to.CA) {
			return nil, fmt.Errorf("%s: its CA has no certificate", to.Name())
		}
	}
	p := &Push{
		receiver: to, figures: figures, now: make(chan struct{}, 1), result: reportv1.Outlet{Name: to.Name()},
		client: &http.Client{
			Transport: transport, Timeout: pushTimeout,
			// Another place would be given the headers.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	switch to.Protocol {
	case OTLP:
		p.encode, p.kind = encodeOTLP(to.Labels), otlpHeaders
	case RemoteWrite:
		p.encode, p.kind = encodeRemoteWrite(to.Labels), remoteWriteHeaders
	default:
		return nil, fmt.Errorf("%s is none of the protocols %s and %s", to.Protocol, OTLP, RemoteWrite)
	}
	p.sending = tickOr(to.Interval, p.now, p.push)
	return p, nil
}

// Begin is that of a Watcher.
func (*Push) Begin(planv1.Step) {}

// Record is that of a Watcher.
func (*Push) Record(...measure.Recorded) {}

// End has the figures of the step sent soon, while the pod goes on.
func (p *Push) End() {
	select {
	case p.now <- struct{}{}:
	default: // One that is asked for already has them too.
	}
}

// Finish sends the figures once more, which takes as long as the receiver may take to answer, at most twice.
func (p *Push) Finish() reportv1.Outlet {
	p.sending.stop()
	p.push()
	p.client.CloseIdleConnections()
	return p.result
}

func (p *Push) push() {
	if err := p.send(); err != nil {
		p.result.Lost++
		if p.result.Error == "" {
			p.result.Error = err.Error()
		}
		return
	}
	p.result.Written++
}

// send sends the figures as they are now.
func (p *Push) send() error {
	families, err := p.figures.Gather()
	if err != nil {
		return fmt.Errorf("gathering figures: %w", err)
	}
	body, err := p.encode(families, time.Now())
	if err != nil {
		return fmt.Errorf("encoding figures: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), pushTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.receiver.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("its URL cannot be read")
	}
	for _, headers := range []http.Header{p.kind, p.receiver.Headers} {
		for name, values := range headers {
			request.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	answer, err := p.client.Do(request)
	if failed, is := errors.AsType[*url.Error](err); is {
		err = failed.Err // It tells the whole URL, which may be secret.
	}
	if err != nil {
		return fmt.Errorf("sending figures: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if answer.StatusCode/100 != 2 {
		text := strings.Join(strings.Fields(present.Harmless(string(said))), " ")
		return fmt.Errorf("it answered %s: %s", answer.Status, text[:min(len(text), maxSaid)])
	}
	return nil
}
