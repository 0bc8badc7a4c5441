package junit_test

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// element is what junit-10.xsd of Jenkins' xUnit plugin says of an element: which attributes it has to have and may
// have, which elements may be in it, and whether text may.
type element struct {
	needs, may, holds []string
	text              bool
}

// schema is that of all elements that are written.
var schema = map[string]element{
	"testsuites": {
		may: []string{"name", "time", "tests", "failures", "errors"}, holds: []string{"testsuite"},
	},
	"testsuite": {
		needs: []string{"name", "tests", "failures", "errors"},
		may: []string{
			"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url",
		},
		holds: []string{"testsuite", "properties", "testcase", "system-out", "system-err"},
	},
	"properties": {holds: []string{"property"}},
	"property":   {needs: []string{"name", "value"}},
	"testcase": {
		needs: []string{"name"}, may: []string{"time", "classname", "group"},
		holds: []string{"skipped", "error", "failure", "system-out", "system-err"},
	},
	"skipped":    {may: []string{"type", "message"}, text: true},
	"error":      {may: []string{"type", "message"}, text: true},
	"failure":    {may: []string{"type", "message"}, text: true},
	"system-out": {text: true},
}

// node is an element that was read.
type node struct {
	name       string
	attributes map[string]string
	children   []*node
	text       string
}

// all are the elements of a name below a node.
func (n *node) all(name string) []*node {
	var found []*node
	for _, child := range n.children {
		if child.name == name {
			found = append(found, child)
		}
		found = append(found, child.all(name)...)
	}
	return found
}

// read reads a document, and checks it as a validator would.
func read(t *testing.T, document string) *node {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(document))
	top := &node{}
	open := []*node{top}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("it is no XML: %v\n%s", err, document)
		}
		inner := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			made := &node{name: token.Name.Local, attributes: map[string]string{}}
			for _, attribute := range token.Attr {
				made.attributes[attribute.Name.Local] = attribute.Value
			}
			inner.children = append(inner.children, made)
			open = append(open, made)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			inner.text += string(token)
		case xml.Comment, xml.Directive:
			t.Errorf("%T in the document", token)
		}
	}
	if len(top.children) != 1 || top.children[0].name != "testsuites" {
		t.Fatalf("the document has to be one testsuites:\n%s", document)
	}
	validate(t, top.children[0])
	counted(t, top.children[0])
	return top.children[0]
}

// surefireTime is the type of the time of a suite in the schema.
var surefireTime = regexp.MustCompile(`^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$`)

func validate(t *testing.T, n *node) {
	t.Helper()
	rule, known := schema[n.name]
	if !known {
		t.Errorf("an element %q", n.name)
		return
	}
	rule.attributes(t, n)
	if !rule.text && strings.TrimSpace(n.text) != "" {
		t.Errorf("a %s with the text %q", n.name, n.text)
	}
	for _, child := range n.children {
		if !slices.Contains(rule.holds, child.name) {
			t.Errorf("a %s in a %s", child.name, n.name)
		}
		validate(t, child)
	}
}

// attributes looks at those of a node.
func (e element) attributes(t *testing.T, n *node) {
	t.Helper()
	for _, name := range e.needs {
		if _, ok := n.attributes[name]; !ok {
			t.Errorf("a %s without %s", n.name, name)
		}
	}
	for name, value := range n.attributes {
		if !slices.Contains(e.needs, name) && !slices.Contains(e.may, name) {
			t.Errorf("a %s with %s", n.name, name)
		}
		if name == "time" && !surefireTime.MatchString(value) {
			t.Errorf("a %s takes the time %q", n.name, value)
		}
	}
}

// counted compares the numbers of a document with its tests, of which each has one outcome and a name of its own.
func counted(t *testing.T, document *node) {
	t.Helper()
	cases := document.all("testcase")
	for attribute, want := range map[string]int{
		"tests": len(cases), "failures": len(document.all("failure")), "errors": len(document.all("error")),
		"skipped": len(document.all("skipped")),
	} {
		for _, n := range append(document.all("testsuite"), document) {
			if said, ok := n.attributes[attribute]; ok && said != strconv.Itoa(want) {
				t.Errorf("a %s of %s %s, and there are %d", n.name, said, attribute, want)
			}
		}
	}
	seen := map[string]bool{}
	for _, one := range cases {
		name := one.attributes["classname"] + " / " + one.attributes["name"]
		if seen[name] {
			t.Errorf("two tests are called %q", name)
		}
		seen[name] = true
		if outcomes := len(one.all("failure")) + len(one.all("error")) + len(one.all("skipped")); outcomes > 1 {
			t.Errorf("%s has %d outcomes", name, outcomes)
		}
	}
}

// outcome of the test of a name, with its message and text; "passed" when it has none.
func outcome(t *testing.T, document *node, class, name string) (kind, said string) {
	t.Helper()
	for _, one := range document.all("testcase") {
		if one.attributes["classname"] != class || one.attributes["name"] != name {
			continue
		}
		for _, child := range one.children {
			if child.name != "system-out" {
				return child.name, child.attributes["type"] + " | " + child.attributes["message"] + "\n" + child.text
			}
			said = child.text
		}
		return "passed", said
	}
	t.Fatalf("there is no test %s / %s", class, name)
	return "", ""
}
