package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Compact is a text of JSON without spaces, in which the order of keys and the digits of numbers are kept. Strings are
// written as Encode writes them, whoever escaped what in them: encoders that escape the characters of HTML give the
// same text.
func Compact(text []byte) ([]byte, error) {
	var short bytes.Buffer
	if err := json.Compact(&short, text); err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	rest := short.Bytes()
	if plain(rest) {
		return rest, nil
	}
	var written bytes.Buffer
	for len(rest) > 0 {
		begin := bytes.IndexByte(rest, '"')
		if begin < 0 {
			written.Write(rest)
			break
		}
		written.Write(rest[:begin])
		end := begin + stringLength(rest[begin:])
		if err := rewrite(&written, rest[begin:end]); err != nil {
			return nil, err
		}
		rest = rest[end:]
	}
	return written.Bytes(), nil
}

// stringLength is how many bytes the string takes that valid JSON begins with, quotes included.
func stringLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// rewrite writes a string of JSON as Encode does.
func rewrite(into *bytes.Buffer, literal []byte) error {
	if plain(literal) {
		into.Write(literal)
		return nil
	}
	var text string
	if err := json.Unmarshal(literal, &text); err != nil {
		return fmt.Errorf("reading JSON: %w", err)
	}
	encoded, err := Encode(text)
	into.Write(encoded)
	return err
}

// plain says whether strings have one way only to be written: they are ASCII without escapes.
func plain(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r == '\\' || r >= utf8.RuneSelf })
}
