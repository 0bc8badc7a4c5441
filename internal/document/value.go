package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	// KeyJSON is the key of {$json: "..."}, which stands for the value that the string of Extended JSON holds.
	KeyJSON = "$json"
	// KeyParameter is the key of {$param: name}, which stands for the value of a parameter.
	KeyParameter = "$param"
	// KeyCaptured is the key of {$captured: name}, which stands for a value that a flow has captured.
	KeyCaptured = "$captured"
	// KeyField is the key of {$key: field}, which stands for a field of the loaded document that an operation draws.
	KeyField = "$key"
	// maxDepth is how many levels of objects and lists MongoDB takes.
	maxDepth = 100
)

// Value is a value of Extended JSON.
type Value struct {
	kind kind
	// scalar is JSON: a number with the digits that were written, a string, true, false or null.
	scalar  string
	members []Member
	items   []Value
	// verbatim says that a string held it, so that the order of its keys is meant.
	verbatim bool
}

// Member is a key of an object with its value.
type Member struct {
	Key   string
	Value Value
}

type kind int

const (
	scalar kind = iota
	object
	list
)

// Object has these members, in this order.
func Object(members ...Member) Value {
	return Value{kind: object, members: members}
}

// String is a value that is this text.
func String(text string) Value {
	return Value{scalar: quote(text)}
}

// IsObject says whether the value has Members.
func (v Value) IsObject() bool { return v.kind == object }

// IsList says whether the value has Items.
func (v Value) IsList() bool { return v.kind == list }

// Members are the keys of an object with their values, in their order.
func (v Value) Members() []Member { return v.members }

// Items are those of a list.
func (v Value) Items() []Value { return v.items }

// Text is the text of a string.
func (v Value) Text() (text string, isString bool) {
	if !strings.HasPrefix(v.scalar, `"`) {
		return "", false
	}
	return text, json.Unmarshal([]byte(v.scalar), &text) == nil
}

// Verbatim says whether a string of Extended JSON held the value, or one that it is in.
func (v Value) Verbatim() bool { return v.verbatim }

// Placeholder is the string of an object that has one key, this one; what else is there with that key, is wrong.
func (v Value) Placeholder(key string) (text string, found, wrong bool) {
	at := slices.IndexFunc(v.members, func(m Member) bool { return m.Key == key })
	if at < 0 {
		return "", false, false
	}
	text, isString := v.members[at].Value.Text()
	valid := isString && len(v.members) == 1
	return text, valid, !valid
}

// Replaced is the value with others in place of what the function returns one for. What a string held stays what a
// string held.
func (v Value) Replaced(by func(Value) (Value, bool)) Value {
	if other, ok := by(v); ok {
		return other
	}
	members := make([]Member, 0, len(v.members))
	for _, member := range v.members {
		members = append(members, Member{member.Key, member.Value.Replaced(by)})
	}
	items := make([]Value, 0, len(v.items))
	for _, item := range v.items {
		items = append(items, item.Replaced(by))
	}
	v.members, v.items = members, items
	return v
}

// JSON is the value in Extended JSON without spaces.
func (v Value) JSON() string {
	written := strings.Builder{}
	v.write(&written, false)
	return written.String()
}

// Document is the value as a document, in the form in which it was read.
func (v Value) Document() benchv1alpha1.Document {
	if v.verbatim {
		return benchv1alpha1.Verbatim(v.JSON())
	}
	written := strings.Builder{}
	v.write(&written, true)
	return benchv1alpha1.Document(written.String())
}

// write writes JSON, where wanted with what strings held in strings.
func (v Value) write(into *strings.Builder, held bool) {
	switch {
	case held && v.verbatim:
		into.WriteString(`{"` + KeyJSON + `":` + quote(v.JSON()) + `}`)
	case v.kind == object:
		into.WriteByte('{')
		for i, member := range v.members {
			separate(into, i)
			into.WriteString(quote(member.Key) + ":")
			member.Value.write(into, held)
		}
		into.WriteByte('}')
	case v.kind == list:
		into.WriteByte('[')
		for i, item := range v.items {
			separate(into, i)
			item.write(into, held)
		}
		into.WriteByte(']')
	default:
		into.WriteString(v.scalar)
	}
}

func separate(into *strings.Builder, i int) {
	if i > 0 {
		into.WriteByte(',')
	}
}

// quote writes a string as JSON.
func quote(text string) string {
	return string(benchv1alpha1.Verbatim(text))
}

// Read reads a document.
func Read(written benchv1alpha1.Document) (Value, error) {
	value, err := Parse(written.Text())
	value.verbatim = value.verbatim || written.Verbatim()
	return value, err
}

// Parse reads a value of Extended JSON, such as a constant's. Only its form as JSON is looked at; an object that has a
// key twice is refused.
func Parse(text string) (Value, error) {
	return parse(text, 0)
}

func parse(text string, depth int) (Value, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		return Value{}, fmt.Errorf("is no JSON: %w", explain(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Value{}, errors.New("is no JSON: there is something after its end")
	}
	tokens := json.NewDecoder(strings.NewReader(string(raw)))
	tokens.UseNumber()
	return reader{tokens}.value(depth)
}

// explain puts the place of an error into words.
func explain(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("it ends too early; is a bracket or a quote missing?")
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		said, _, _ := strings.Cut(syntax.Error(), " looking for")
		return fmt.Errorf("at byte %d: %s; keys and texts stand in double quotes", syntax.Offset, said)
	}
	return err
}

// reader reads valid JSON.
type reader struct{ *json.Decoder }

func (r reader) value(depth int) (Value, error) {
	token, err := r.Token()
	if err != nil {
		return Value{}, err
	}
	switch token := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			return Value{}, fmt.Errorf("is nested more than %d levels deep", maxDepth)
		}
		if token == '{' {
			return r.object(depth + 1)
		}
		return r.list(depth + 1)
	case string:
		return String(token), nil
	case json.Number:
		return Value{scalar: token.String()}, nil
	case bool:
		return Value{scalar: strconv.FormatBool(token)}, nil
	default:
		return Value{scalar: "null"}, nil
	}
}

func (r reader) list(depth int) (Value, error) {
	value := Value{kind: list}
	for r.More() {
		item, err := r.value(depth)
		if err != nil {
			return Value{}, err
		}
		value.items = append(value.items, item)
	}
	_, err := r.Token()
	return value, err
}

func (r reader) object(depth int) (Value, error) {
	value, known := Value{kind: object}, map[string]bool{}
	for r.More() {
		token, err := r.Token()
		if err != nil {
			return Value{}, err
		}
		key := fmt.Sprint(token)
		if known[key] {
			return Value{}, fmt.Errorf("has the key %q twice in one object", key)
		}
		known[key] = true
		member, err := r.value(depth)
		if err != nil {
			return Value{}, err
		}
		value.members = append(value.members, Member{key, member})
	}
	if _, err := r.Token(); err != nil {
		return Value{}, err
	}
	return value.held(depth)
}

// held is what the string of {$json: "..."} holds, and any other value itself.
func (v Value) held(depth int) (Value, error) {
	text, found, wrong := v.Placeholder(KeyJSON)
	if wrong {
		return Value{}, errors.New("holds a string of Extended JSON wrongly; " +
			"write {$json: '...'} and nothing else in the braces")
	}
	if !found {
		return v, nil
	}
	value, err := parse(text, depth)
	if err != nil {
		return Value{}, fmt.Errorf("has a {$json: ...} that %w", err)
	}
	value.verbatim = true
	return value, nil
}
