package observe

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// unknown is the value of a figure that a server does not tell.
const unknown = -1

// sample is what one server told at a time.
type sample struct {
	// uptime of the server in milliseconds, by its own clock, and when it was started; unknown when it did not tell.
	uptime, started int64
	// values by the place of their figure: counters as they stood, levels in our unit.
	values []int64
	// lags of all healthy members in milliseconds, as the primary sees them; nil from any other server.
	lags map[string]int64
	// chunks of the observed database by shard; nil from a server that keeps no such list.
	chunks map[string]int64
	// disks are for how many milliseconds each disk of the machine has been busy; nil from a server that does not tell.
	disks map[string]int64
}

func newSample() *sample {
	s := &sample{uptime: unknown, started: unknown, values: make([]int64, len(figures))}
	for i := range s.values {
		s.values[i] = unknown
	}
	return s
}

// carry takes over what is asked for less often from the sample before, where this one lacks it.
func (s *sample) carry(before *sample) {
	for i, f := range figures {
		if f.slow() && s.values[i] == unknown {
			s.values[i] = before.values[i]
		}
	}
	if s.chunks == nil {
		s.chunks = before.chunks
	}
}

// decode adds the figures of a reply to the sample.
func (s *sample) decode(from reply, document bson.Raw) {
	in := lookup{document: document, parents: map[string]bson.Raw{}}
	if from == serverStatus {
		if uptime, ok := in.number("uptimeMillis"); ok {
			s.uptime = uptime
			local, _ := document.Lookup("localTime").DateTimeOK()
			s.started = local - uptime
		}
	}
	for i, f := range figures {
		if f.from != from {
			continue
		}
		s.values[i] = f.value(in)
	}
}

// value finds a figure in its reply. The counters stay in the server's unit until they are subtracted, so that nothing
// is lost by rounding.
func (f figure) value(in lookup) int64 {
	total := int64(unknown)
	for _, path := range f.paths {
		number, ok := in.number(path)
		switch {
		case !ok:
		case f.sum:
			total = max(total, 0) + number
		case f.counter():
			return number
		default:
			return f.scale(number)
		}
	}
	return total
}

// scale brings a number from the server's unit into ours.
func (f figure) scale(number int64) int64 {
	if f.multiply > 0 {
		number *= f.multiply
	}
	if f.divide > 0 {
		number /= f.divide
	}
	return number
}

// lookup finds numbers in a reply. It remembers the documents within it, which are long and hold many figures each.
type lookup struct {
	document bson.Raw
	parents  map[string]bson.Raw
}

func (l lookup) number(path string) (int64, bool) {
	parent, name := split(path)
	value := l.parent(parent).Lookup(name)
	if truth, ok := value.BooleanOK(); ok {
		if truth {
			return 1, true
		}
		return 0, true
	}
	return value.AsInt64OK()
}

func (l lookup) parent(path string) bson.Raw {
	if path == "" {
		return l.document
	}
	found, known := l.parents[path]
	if !known {
		above, name := split(path)
		found, _ = l.parent(above).Lookup(name).DocumentOK()
		l.parents[path] = found
	}
	return found
}

// split is the path of the document that a path leads into, and the name in it.
func split(path string) (parent, name string) {
	cut := strings.LastIndexByte(path, '/')
	return path[:max(cut, 0)], path[cut+1:]
}
