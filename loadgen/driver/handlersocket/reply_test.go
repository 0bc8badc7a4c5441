package handlersocket

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// parse feeds a parser with size bytes at a time, and returns what is left when the reply is complete.
func parse(p *parser, text []byte, size int) (rest []byte, done bool, err error) {
	p.reset()
	for len(text) > 0 {
		used, done, err := p.feed(text[:min(size, len(text))])
		text = text[used:]
		if done || err != nil {
			return text, done, err
		}
	}
	return nil, false, nil
}

func TestRepliesAreTakenToPiecesHoweverTheyCome(t *testing.T) {
	for name, tc := range map[string]struct {
		text        string
		want        Reply
		rows        int64
		wantFailure string
	}{
		"an insert": {text: "0\t1\n", want: Reply{Columns: 1}},
		"a change":  {text: "0\t1\t1\n", want: Reply{Columns: 1, Values: 1, Begin: []byte("\t1")}, rows: 1},
		"no row":    {text: "0\t3\n", want: Reply{Columns: 3}},
		"two rows": {
			text: "0\t2\ta\tb\tc\td\n", want: Reply{Columns: 2, Values: 4, Begin: []byte("\ta\tb\tc\td")}, rows: 2,
		},
		"a row that's empty": {text: "0\t1\t\n", want: Reply{Columns: 1, Values: 1, Begin: []byte("\t")}, rows: 1},
		"a duplicate": {
			text: "1\t1\t121\n", want: Reply{Status: 1, Columns: 1, Values: 1, Begin: []byte("\t121")}, rows: 1,
			wantFailure: `HandlerSocket answered 1 "121": a row with this key is there already`,
		},
		"a wrong request": {
			text: "2\t1\tkpnum\n", want: Reply{Status: 2, Columns: 1, Values: 1, Begin: []byte("\tkpnum")}, rows: 1,
			wantFailure: `HandlerSocket answered 2 "kpnum"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.want.Bytes = int64(len(tc.text))
			for size := 1; size <= len(tc.text)+5; size++ {
				p := &parser{}
				rest, done, err := parse(p, []byte(tc.text+"0\t1\n"), size)
				if err != nil || !done || string(rest) != "0\t1\n" {
					t.Fatalf("with %d bytes at a time: done %t, error %v, left %q", size, done, err, rest)
				}
				checkReply(t, p.reply, tc.want, tc.rows, tc.wantFailure)
			}
		})
	}
}

// checkReply holds a reply, and what is made of it, against what it was to be.
func checkReply(t *testing.T, got, want Reply, rows int64, wantFailure string) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || got.Rows() != rows {
		t.Fatalf("%d rows, want %d: %s", got.Rows(), rows, diff)
	}
	failure := ""
	if err := got.failure(); err != nil {
		failure = err.Error()
	}
	if failure != wantFailure {
		t.Fatalf("the failure is %q, want %q", failure, wantFailure)
	}
}

func TestOtherBytesAreNoReply(t *testing.T) {
	for _, text := range []string{
		"\n", "0\n", "0\t\n", "\t1\n", "x\t1\n", "0\tx\n", "-1\t1\n", "0 1\n", "0\t1234567890\n",
		"HTTP/1.1 400 Bad Request\r\n",
		strings.Repeat("9", 100),
	} {
		if _, done, err := parse(&parser{}, []byte(text), len(text)); done || !errors.Is(err, ErrProtocol) {
			t.Errorf("%q: done %t, error %v", text, done, err)
		}
	}
}

func TestALongReplyTakesNoMoreMemory(t *testing.T) {
	text := []byte("0\t2" + strings.Repeat("\t"+strings.Repeat("x", 1000), 2000) + "\n")
	p := &parser{}
	allocations := testing.AllocsPerRun(10, func() {
		if _, done, err := parse(p, text, 4096); !done || err != nil {
			t.Fatal(done, err)
		}
	})
	if allocations > 0 || p.reply.Rows() != 1000 || len(p.reply.Begin) != keptBytes {
		t.Errorf("%v allocations, %d rows, %d bytes kept", allocations, p.reply.Rows(), len(p.reply.Begin))
	}
}

// FuzzReplies: whatever comes, and in whatever pieces, the parser says the same as a simple one that has
// the whole line.
func FuzzReplies(f *testing.F) {
	for _, text := range []string{
		"0\t1\n", "0\t2\ta\tb\n", "1\t1\t121\n", "0\t1\t\x00\n", "2\t1\tfldnum\n0\t1\n", "\n", "0\t",
	} {
		f.Add([]byte(text), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		if size < 1 || size > len(text)+1 {
			size = len(text) + 1
		}
		p := &parser{}
		rest, done, err := parse(p, text, size)
		_ = p.reply.failure()
		_, _ = p.reply.number()
		line, after, whole := bytes.Cut(text, []byte{'\n'})
		want, right := simple(line)
		if done != (whole && right) || err == nil && whole && !right {
			t.Fatalf("%q: done %t, error %v, want %t", text, done, err, right)
		}
		if !done {
			return
		}
		want.Bytes = int64(len(line)) + 1
		want.Begin = want.Begin[:min(len(want.Begin), keptBytes)]
		if diff := cmp.Diff(want, p.reply, cmpopts.EquateEmpty()); diff != "" || !bytes.Equal(rest, after) {
			t.Fatalf("%q: left %q, want %q: %s", text, rest, after, diff)
		}
	})
}

// simple reads a reply with all of it at hand.
func simple(line []byte) (Reply, bool) {
	tokens := bytes.Split(line, []byte{'\t'})
	if len(tokens) < 2 {
		return Reply{}, false
	}
	var head [2]int64
	for i := range head {
		number, err := strconv.ParseUint(string(tokens[i]), 10, 32)
		if err != nil || len(tokens[i]) > headDigits {
			return Reply{}, false
		}
		head[i] = int64(number)
	}
	begin := line[len(tokens[0])+1+len(tokens[1]):]
	return Reply{Status: int(head[0]), Columns: head[1], Values: int64(len(tokens) - 2), Begin: begin}, true
}
