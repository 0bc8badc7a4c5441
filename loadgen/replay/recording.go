package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// maxLine is the longest line that is read: a command of 16 MiB takes about four times as much as JSON.
const maxLine = 64 << 20

// Options say what of a recording is sent, and where.
type Options struct {
	// Writes lets commands that change data be sent too.
	Writes bool
	// Databases maps the name of a recorded database to the one that its operations go to. The name * stands for all
	// that have no own entry. What is not mapped stays.
	Databases map[string]string
}

// Recording is what can be sent again.
type Recording struct {
	// Operations by their time.
	Operations []Operation
	// LeftOut counts the lines that are not sent again, by the reason.
	LeftOut map[string]int
	// Changed counts the operations that are sent without something that they had, by what it is.
	Changed map[string]int
	// Hash is the SHA-256 of the lines.
	Hash string
}

// Operation is one that is sent again.
type Operation struct {
	// Due is the time from the first operation of the recording on.
	Due time.Duration
	// Name is the command and its collection.
	Name     string
	Database string
	Command  bson.Raw
	// Writes says that it may change data.
	Writes bool

	at time.Time
}

// Read reads a recording. An error says in which line it is.
func Read(from io.Reader, options Options) (Recording, error) {
	r := Recording{LeftOut: map[string]int{}, Changed: map[string]int{}}
	hash := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(from, hash))
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := r.add(line, options); err != nil {
			return Recording{}, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return Recording{}, fmt.Errorf("line %d: %w", number+1, err)
	}
	if len(r.Operations) == 0 {
		return r, errors.New("there is nothing in it to be sent again")
	}
	r.order()
	r.Hash = hex.EncodeToString(hash.Sum(nil))
	return r, nil
}

// add takes one line.
func (r *Recording) add(line []byte, options Options) error {
	entry, err := parse(line)
	if err != nil {
		return err
	}
	made := prepare(entry, options.Writes)
	for _, removed := range made.removed {
		r.Changed[removed]++
	}
	if made.leftOut != "" {
		r.LeftOut[made.leftOut]++
		return nil
	}
	r.Operations = append(r.Operations, Operation{
		at: entry.at, Name: made.name, Database: options.database(entry.database), Command: made.command, Writes: made.writes,
	})
	return nil
}

// database is where the operations of a recorded database go.
func (o Options) database(recorded string) string {
	for _, name := range []string{recorded, "*"} {
		if to, ok := o.Databases[name]; ok {
			return to
		}
	}
	return recorded
}

// order sorts the operations by their times and counts these from the first on. Those of the same time keep their
// order.
func (r *Recording) order() {
	slices.SortStableFunc(r.Operations, func(a, b Operation) int { return a.at.Compare(b.at) })
	for i := range r.Operations {
		r.Operations[i].Due = r.Operations[i].at.Sub(r.Operations[0].at)
	}
}

// Reasons are those of LeftOut or Changed, most frequent first.
func Reasons(counts map[string]int) []string {
	reasons := make([]string, 0, len(counts))
	for reason := range counts {
		reasons = append(reasons, reason)
	}
	slices.SortFunc(reasons, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return reasons
}
