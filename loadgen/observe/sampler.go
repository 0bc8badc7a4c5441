package observe

import (
	"context"
	"sync"
)

// Sampler looks at the servers of a deployment whenever it is asked to, beside an Observer, which looks in a rhythm of
// its own.
type Sampler struct {
	servers []Server
	asked   []questions
}

// NewSampler looks at these servers, whose connections are the sampler's from now on.
func NewSampler(servers []Server) *Sampler {
	s := &Sampler{servers: servers}
	seen := names(servers)
	for _, server := range servers {
		s.asked = append(s.asked, (&Observer{}).questions(server, seen))
	}
	return s
}

// Look asks all servers at once what they are at. Those that do not answer are left out.
func (s *Sampler) Look(ctx context.Context) []Latest {
	found := make([]Latest, len(s.asked))
	var asking sync.WaitGroup
	for i, one := range s.asked {
		asking.Go(func() {
			if sample, err := one.sample(ctx, false); err == nil {
				found[i] = Latest{Member: s.servers[i].Name(), values: sample.values}
			}
		})
	}
	asking.Wait()
	var answered []Latest
	for _, one := range found {
		if one.values != nil {
			answered = append(answered, one)
		}
	}
	return answered
}

// Close gives the connections back.
func (s *Sampler) Close() {
	for _, server := range s.servers {
		server.Close()
	}
}

// Busy says what a server is at besides answering, in a few words; empty when it is at nothing.
func (l Latest) Busy() string {
	if running, known := l.Value(checkpointRunning); known && running > 0 {
		return "writes a checkpoint"
	}
	return l.pressed()
}

// CPUMillis is the CPU time of the server's process since it was started, in milliseconds.
func (l Latest) CPUMillis() (millis int64, known bool) {
	user, told := l.Value("cpu.user")
	system, also := l.Value("cpu.system")
	return user + system, told && also
}
