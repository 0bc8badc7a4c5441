package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Bounds of a document that somebody wrote who may mean harm. A short text can make a reader build values a hundred
// times its size, such as a list of empty objects; so it is looked through, and refused, before anything is built.
type Bounds struct {
	// Bytes of the whole text.
	Bytes int
	// Depth of lists and objects in each other.
	Depth int
	// Items of one list, or members of one object.
	Items int
	// Objects in all.
	Objects int
	// Text is the most bytes of one text, names included.
	Text int
}

// DecodeBounded is DecodeKnownVersioned of a document within bounds.
func DecodeBounded(encoded []byte, bounds Bounds, wantVersion string, into any) error {
	if err := bounds.Check(encoded); err != nil {
		return err
	}
	return DecodeKnownVersioned(encoded, wantVersion, into)
}

// Check says where a text is beyond the bounds, or is no JSON.
func (b Bounds) Check(encoded []byte) error {
	if len(encoded) > b.Bytes {
		return fmt.Errorf("decoding JSON: it has %d bytes, and %d are allowed", len(encoded), b.Bytes)
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	look := scan{bounds: b}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = look.at(token)
		}
		if err != nil {
			return fmt.Errorf("decoding JSON: at byte %d: %w", decoder.InputOffset(), err)
		}
	}
}

// scan counts what a text has.
type scan struct {
	bounds  Bounds
	objects int
	// open are the lists and objects that the text is in.
	open []entries
}

// entries count what a list or object has. An object has two tokens a member.
type entries struct{ tokens, each int }

func (s *scan) at(token json.Token) error {
	if token == json.Delim('}') || token == json.Delim(']') {
		s.open = s.open[:len(s.open)-1]
		return nil
	}
	if len(s.open) > 0 {
		in := &s.open[len(s.open)-1]
		if in.tokens++; in.tokens > in.each*s.bounds.Items {
			return fmt.Errorf("a list or object has more than %d entries", s.bounds.Items)
		}
	}
	switch token := token.(type) {
	case json.Delim:
		each := 1
		if token == '{' {
			each = 2
		}
		if s.open = append(s.open, entries{each: each}); len(s.open) > s.bounds.Depth {
			return fmt.Errorf("it is nested more than %d deep", s.bounds.Depth)
		}
		if s.objects++; s.objects > s.bounds.Objects {
			return fmt.Errorf("it has more than %d lists and objects", s.bounds.Objects)
		}
	case string:
		if len(token) > s.bounds.Text {
			return fmt.Errorf("a text has %d bytes, and %d are allowed", len(token), s.bounds.Text)
		}
	}
	return nil
}
