package harness

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
)

// forwardTime is how long a port forward may take to stand.
const forwardTime = 30 * time.Second

// Forward makes a port of a pod reachable on this machine, for as long as the test lasts, and returns the address.
func (n *Namespace) Forward(t *testing.T, pod string, port int) string {
	t.Helper()
	transport, upgrader, err := spdy.RoundTripperFor(n.Config)
	if err != nil {
		t.Fatalf("forwarding a port of pod %s: %v", pod, err)
	}
	request := n.Typed.CoreV1().RESTClient().Post().Resource("pods").Namespace(n.Name).Name(pod).SubResource("portforward")
	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, request.URL())
	stop, ready := make(chan struct{}), make(chan struct{})
	forwarder, err := portforward.New(dialer, []string{fmt.Sprintf("0:%d", port)}, stop, ready, io.Discard, io.Discard)
	if err != nil {
		t.Fatalf("forwarding a port of pod %s: %v", pod, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- forwarder.ForwardPorts() }()
	t.Cleanup(func() { close(stop) })
	select {
	case <-ready:
	case err := <-ended:
		t.Fatalf("forwarding a port of pod %s: %v", pod, err)
	case <-time.After(forwardTime):
		t.Fatalf("forwarding a port of pod %s: nothing happened within %s", pod, forwardTime)
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		t.Fatalf("forwarding a port of pod %s: %v", pod, err)
	}
	return fmt.Sprintf("localhost:%d", ports[0].Local)
}
