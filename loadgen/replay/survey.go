package replay

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"slices"
	"time"
	"unicode/utf8"
)

// A report tells so many different operations apart. What comes less often is summed up as one.
const (
	maxNames = 31
	rest     = "others"
	// maxCounted is how many different names, or reasons, are counted at all.
	maxCounted = 10_000
)

// Survey is what a recording has, without the operations themselves. It is the same for every pod.
type Survey struct {
	// Names of the operations that are sent, most frequent first: the command and its collection.
	Names []string
	// Operations that are sent, by all pods together, and Late those of them that came too late in the recording to be
	// sent in their order.
	Operations, Late int64
	// Length is the time from the first to the last of them.
	Length time.Duration
	// LeftOut counts the entries that are not sent again, by the reason.
	LeftOut map[string]int64
	// Changed counts the operations that are sent without something that they had, by what it is.
	Changed map[string]int64
	// Written are the databases in which something may be changed.
	Written []string
	// Hash is the SHA-256 of the recording.
	Hash string

	places map[string]int
}

// Look goes through a recording, so that what is wrong with it is known before anything is sent. An error says in which
// line it is.
func Look(open func() (io.ReadCloser, error), options Options) (*Survey, error) {
	from, err := open()
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	s, err := newStream(io.TeeReader(from, hash), options)
	if err == nil {
		var found *Survey
		if found, err = s.look(); err == nil {
			found.Hash = hex.EncodeToString(hash.Sum(nil))
			return found, from.Close()
		}
	}
	return nil, errors.Join(err, from.Close())
}

func (s *stream) look() (*Survey, error) {
	found := &Survey{LeftOut: map[string]int64{}, Changed: map[string]int64{}}
	s.leftOut, s.changed = counter(found.LeftOut), counter(found.Changed)
	names, written := map[string]int64{}, map[string]bool{}
	var sent Operation
	var name []byte
	for {
		one, begins, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if name = appendName(name[:0], &one); !utf8.Valid(name) {
			name = append(name[:0], rest...)
		}
		names[known(names, name)]++
		s.fill(&sent, &one, begins)
		found.Length = sent.Due
		if first, err := one.command.IndexErr(0); err == nil && changesData(first.Key(), one.command) {
			written[sent.Database] = true
		}
	}
	found.Operations, found.Late = s.count, s.ordered.Late
	if found.Operations == 0 {
		return nil, errors.New("there is nothing in it to be sent again" + because(found.LeftOut))
	}
	found.name(names)
	found.Written = slices.Sorted(maps.Keys(written))
	return found, nil
}

// because names the most frequent reason why nothing is sent.
func because(leftOut map[string]int64) string {
	if len(leftOut) == 0 {
		return ""
	}
	return "; most of it was left out: " + Reasons(leftOut)[0]
}

// counter counts how often it is called with each text.
func counter(counts map[string]int64) func(string) {
	return func(what string) {
		if _, known := counts[what]; !known && len(counts) >= maxCounted {
			what = rest
		}
		counts[what]++
	}
}

// known is a name, or that of the rest if it is one too many.
func known(names map[string]int64, name []byte) string {
	if _, counted := names[string(name)]; !counted && len(names) >= maxCounted {
		return rest
	}
	return string(name)
}

// name gives the operations their places.
func (s *Survey) name(counts map[string]int64) {
	s.places = make(map[string]int, len(counts))
	for place, name := range Reasons(counts) {
		if place < maxNames {
			s.Names = append(s.Names, name)
			s.places[name] = place
		}
	}
	if len(counts) > maxNames {
		if _, has := s.places[rest]; !has {
			s.places[rest] = maxNames
			s.Names = append(s.Names, rest)
		}
	}
}

// Reasons are those of LeftOut or Changed, or whatever else was counted, most frequent first.
func Reasons(counts map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}
