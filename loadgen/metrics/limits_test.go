package metrics

import "testing"

// TestNoClientHoldsAConnectionForever: every part of a request has a time within which it has to come.
func TestNoClientHoldsAConnectionForever(t *testing.T) {
	server, err := Listen(t.Context(), "127.0.0.1:0", New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	limits := server.server
	if limits.ReadHeaderTimeout <= 0 || limits.ReadTimeout <= 0 || limits.WriteTimeout <= 0 || limits.IdleTimeout <= 0 ||
		limits.MaxHeaderBytes <= 0 {
		t.Errorf("a limit is missing: %+v", limits)
	}
}
