package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// document is the root element.
type document struct {
	XMLName  xml.Name  `xml:"testsuites"`
	Name     string    `xml:"name,attr"`
	Tests    int       `xml:"tests,attr"`
	Failures int       `xml:"failures,attr"`
	Errors   int       `xml:"errors,attr"`
	Time     seconds   `xml:"time,attr"`
	Suite    testSuite `xml:"testsuite"`
}

type testSuite struct {
	Name     string  `xml:"name,attr"`
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Skipped  int     `xml:"skipped,attr"`
	Time     seconds `xml:"time,attr"`
	// Timestamp is when it began, in UTC without saying so, as the format has it; empty when that is not known.
	Timestamp  string      `xml:"timestamp,attr,omitempty"`
	Properties *properties `xml:"properties"`
	Cases      []testCase  `xml:"testcase"`
}

type properties struct {
	All []property `xml:"property"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// testCase has passed unless one of Failure, Error and Skipped is set.
type testCase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    seconds  `xml:"time,attr"`
	Failure *outcome `xml:"failure"`
	Error   *outcome `xml:"error"`
	Skipped *outcome `xml:"skipped"`
	// Out is what is to be said about one that has passed.
	Out *systemOut `xml:"system-out"`
}

// systemOut is written as CDATA, as the text of an outcome is: people who open the document read lines.
type systemOut struct {
	Text string `xml:",cdata"`
}

type outcome struct {
	// Type is one word: a verdict or a reason.
	Type string `xml:"type,attr"`
	// Message is one line, and Text all that there is to say: some programs show the one, and some the other.
	Message string `xml:"message,attr"`
	Text    string `xml:",cdata"`
}

// remark is what is said about a test that has passed.
func remark(lines ...string) *systemOut {
	return &systemOut{strings.TrimSpace(strings.Join(lines, "\n"))}
}

// because is an outcome whose text begins with its message.
func because(kind, message string, more ...string) *outcome {
	lines := append([]string{message}, more...)
	return &outcome{
		Type: kind, Message: strings.Join(strings.Fields(message), " "), Text: strings.TrimSpace(strings.Join(lines, "\n")),
	}
}

// seconds is a time as an attribute has it.
type seconds time.Duration

// MarshalText writes it with three decimals.
func (s seconds) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", time.Duration(s).Seconds()), nil
}

// began is when a suite began, in the form of its attribute.
func began(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05")
}

// add adds what is known; an empty value is nothing.
func (s *testSuite) add(name, value string) {
	if value == "" {
		return
	}
	if s.Properties == nil {
		s.Properties = &properties{}
	}
	s.Properties.All = append(s.Properties.All, property{name, value})
}

// write writes a suite as a document.
func (s *testSuite) write(to io.Writer) error {
	s.count()
	s.distinguish()
	s.clean()
	whole := document{
		Name: s.Name, Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Time: s.Time, Suite: *s,
	}
	encoded, err := xml.MarshalIndent(whole, "", "  ")
	if err == nil {
		_, err = io.WriteString(to, xml.Header+string(encoded)+"\n")
	}
	if err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	return nil
}

func (s *testSuite) count() {
	s.Tests = len(s.Cases)
	for _, one := range s.Cases {
		switch {
		case one.Failure != nil:
			s.Failures++
		case one.Error != nil:
			s.Errors++
		case one.Skipped != nil:
			s.Skipped++
		}
	}
}

// distinguish numbers tests of the same name.
func (s *testSuite) distinguish() {
	type full struct{ class, name string }
	seen := map[full]bool{}
	for i := range s.Cases {
		one := &s.Cases[i]
		name := one.Name
		for number := 2; seen[full{one.Class, one.Name}]; number++ {
			one.Name = fmt.Sprintf("%s (%d)", name, number)
		}
		seen[full{one.Class, one.Name}] = true
	}
}

// clean makes every text one that a document may hold.
func (s *testSuite) clean() {
	texts := []*string{&s.Name}
	if s.Properties != nil {
		for i := range s.Properties.All {
			texts = append(texts, &s.Properties.All[i].Name, &s.Properties.All[i].Value)
		}
	}
	for i := range s.Cases {
		one := &s.Cases[i]
		texts = append(texts, &one.Class, &one.Name)
		if one.Out != nil {
			texts = append(texts, &one.Out.Text)
		}
		for _, said := range []*outcome{one.Failure, one.Error, one.Skipped} {
			if said != nil {
				texts = append(texts, &said.Type, &said.Message, &said.Text)
			}
		}
	}
	for _, text := range texts {
		*text = harmless(*text)
	}
}

// harmless is a text without the characters that XML 1.0 has no way to write (https://www.w3.org/TR/xml/#charsets), for
// which encoding/xml would put others, and without the mark by which GitLab and Jenkins take the rest of a line for the
// path of a file that they are to show. What stands for markup is escaped as it is written.
func harmless(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000:
			return r
		default:
			return -1
		}
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.ReplaceAll(text, "[[ATTACHMENT|", "[[ATTACHMENT |")
}
