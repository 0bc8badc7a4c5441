package kube

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

// gatePath is where the gate is read, and where it is watched.
const (
	gatePath  = "/api/v1/namespaces/bench/configmaps/run-gate"
	watchPath = "/api/v1/namespaces/bench/configmaps"
)

// reply is one answer of the API server.
type reply struct {
	code   int
	object any
}

func ok(object any) reply { return reply{http.StatusOK, object} }

func refused(reason metav1.StatusReason, code int) reply {
	return reply{code, failure(reason, int32(code))}
}

// event is what a watch tells.
func event(kind string, gate corev1.ConfigMap) reply {
	gate.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}
	return ok(map[string]any{"type": kind, "object": gate})
}

// gateServer answers reads with one reply after the other, and the last again and again; so it does with watches.
type gateServer struct {
	reads, watches []reply
	// held keeps a watch open after its event, and watched, if there is one, is told that it does.
	held    bool
	watched func()

	readCalls, watchCalls atomic.Int32
}

func (s *gateServer) serve(t *testing.T) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request) {
		replies, calls := s.reads, &s.readCalls
		switch r.URL.Path {
		case gatePath:
		case watchPath:
			replies, calls = s.watches, &s.watchCalls
			if got := r.URL.Query().Get("fieldSelector"); got != "metadata.name=run-gate" {
				t.Errorf("watched %q, want the gate alone", got)
			}
		default:
			t.Errorf("asked for %s", r.URL.Path)
		}
		if len(replies) == 0 {
			return // A watch that ends at once.
		}
		given := replies[min(int(calls.Add(1)), len(replies))-1]
		answer(t, w, given.code, given.object)
		if r.URL.Path == watchPath && s.held {
			_ = http.NewResponseController(w).Flush()
			if s.watched != nil {
				s.watched()
			}
			<-r.Context().Done()
		}
	}
}

var (
	gateStart = time.Unix(1700000000, 42)
	openGate  = corev1.ConfigMap{Data: map[string]string{planv1.GateKey(3): planv1.FormatStart(gateStart)}}
	otherGate = corev1.ConfigMap{Data: map[string]string{planv1.GateKey(2): "1"}}
	shutGate  = corev1.ConfigMap{}
)

func TestGate(t *testing.T) {
	tests := map[string]struct {
		server     *gateServer
		patience   time.Duration
		wantErr    string
		wantClosed bool
	}{
		"a start that is published is returned": {server: &gateServer{reads: []reply{ok(openGate)}}},
		"a start that is not published yet is watched for": {
			server: &gateServer{reads: []reply{ok(shutGate)}, watches: []reply{event("MODIFIED", openGate)}, held: true},
		},
		"a watch that ends is begun anew": {
			server: &gateServer{
				reads: []reply{ok(shutGate)}, watches: []reply{event("MODIFIED", otherGate), event("MODIFIED", openGate)},
			},
		},
		"a gate that may not be watched is read again": {
			server: &gateServer{
				reads:   []reply{ok(shutGate), ok(otherGate), ok(openGate)},
				watches: []reply{refused(metav1.StatusReasonForbidden, 403)},
			},
		},
		"what was seen being too long ago is no end": {
			server: &gateServer{
				reads: []reply{ok(shutGate), ok(openGate)},
				watches: []reply{ok(map[string]any{
					"type": "ERROR", "object": failure(metav1.StatusReasonExpired, 410),
				})},
				held: true,
			},
		},
		"an API server that restarts is awaited": {
			server: &gateServer{reads: []reply{refused(metav1.StatusReasonServiceUnavailable, 503), ok(openGate)}},
		},
		"an API server that does not know the pod's rights yet is awaited": {
			server: &gateServer{reads: []reply{refused(metav1.StatusReasonForbidden, 403), ok(openGate)}},
		},
		"a gate that is gone ends the wait": {
			server:  &gateServer{reads: []reply{refused(metav1.StatusReasonNotFound, 404)}},
			wantErr: "run-gate", wantClosed: true,
		},
		"a gate that goes while it is watched ends the wait": {
			server: &gateServer{
				reads:   []reply{ok(shutGate), refused(metav1.StatusReasonNotFound, 404)},
				watches: []reply{event("DELETED", shutGate)}, held: true,
			},
			wantErr: "run-gate", wantClosed: true,
		},
		"a start that cannot be read ends the wait": {
			server: &gateServer{
				reads: []reply{ok(shutGate)},
				watches: []reply{event("MODIFIED", corev1.ConfigMap{
					Data: map[string]string{planv1.GateKey(3): "soon"},
				})},
				held: true,
			},
			wantErr: "soon", wantClosed: true,
		},
		"another step's start is no start": {
			server: &gateServer{
				reads: []reply{ok(otherGate)}, watches: []reply{event("MODIFIED", otherGate)}, held: true,
			},
			patience: time.Second, wantErr: "not every load pod was ready within", wantClosed: true,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patience := tc.patience
			if patience == 0 {
				patience = 2 * time.Minute
			}
			gate := Gate{ConfigMaps: serve(t, tc.server.serve(t)), Name: "run-gate", Patience: patience}
			got, err := gate.Wait(t.Context(), 3)
			checkError(t, err, tc.wantErr)
			if opened := got.Equal(gateStart); opened == tc.wantClosed {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestAGateThatIsWatchedIsReadOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	// Longer than any pause of one that reads it again and again.
	wait := func() { time.AfterFunc(2*retryInterval, cancel) }
	server := &gateServer{
		reads: []reply{ok(shutGate)}, watches: []reply{event("MODIFIED", otherGate)}, held: true, watched: wait,
	}
	gate := Gate{ConfigMaps: serve(t, server.serve(t)), Name: "run-gate", Patience: time.Hour}
	_, err := gate.Wait(ctx, 3)
	checkError(t, err, context.Canceled.Error())
	if reads, watches := server.readCalls.Load(), server.watchCalls.Load(); reads != 1 || watches != 1 {
		t.Errorf("waiting took %d reads and %d watches, want 1 of each", reads, watches)
	}
}
