package process

import (
	"flag"
	"sync"
	"testing"
)

// parallelTests is how many tests of a package run in parallel, unless -parallel says otherwise: what they wait for is
// mostly elections, timeouts and starting servers rather than a processor.
const parallelTests = "6"

// Shared are the servers that the tests of a package share, by name.
type Shared[S interface{ Stop() }] struct {
	mutex   sync.Mutex
	servers map[string]S
}

// Get returns the server with a name, which is started for the first who asks.
func (s *Shared[S]) Get(name string, start func() S) S {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if server, known := s.servers[name]; known {
		return server
	}
	server := start()
	if s.servers == nil {
		s.servers = map[string]S{}
	}
	s.servers[name] = server
	return server
}

// Main runs the tests of a package and stops the servers that they shared. It returns the exit code.
func (s *Shared[S]) Main(m *testing.M) int {
	_ = flag.Set("test.parallel", parallelTests)
	flag.Parse()
	defer func() {
		for _, server := range s.servers {
			server.Stop()
		}
	}()
	return m.Run()
}
