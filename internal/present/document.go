package present

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Fact is something that is known, under a name.
type Fact struct{ Name, Text string }

// MarshalJSON writes the name and the text as a list, which a page draws.
func (f Fact) MarshalJSON() ([]byte, error) { return json.Marshal([]string{f.Name, f.Text}) }

// Facts are known of the same thing.
type Facts []Fact

// Add adds what is known; an empty text is nothing.
func (f *Facts) Add(name, text string) {
	if text != "" {
		*f = append(*f, Fact{name, text})
	}
}

// Document is made of headings, sentences, facts and tables: text, whose headings stand out when it is painted, or, in
// the same words, Markdown.
type Document struct {
	Paint    Paint
	Markdown bool
	// Below says that it follows on something else.
	Below bool
	text  strings.Builder
}

// Title is of the whole Document; a text has none.
func (d *Document) Title(title string) {
	if d.Markdown {
		d.text.WriteString("## " + title + "\n")
	}
}

// Heading begins a part of the document.
func (d *Document) Heading(format string, arguments ...any) {
	if d.Below || d.text.Len() > 0 {
		d.Space()
	}
	heading := fmt.Sprintf(format, arguments...)
	if d.Markdown {
		heading = "### " + heading
	}
	d.text.WriteString(d.Paint.Heading(heading) + "\n")
}

// Space is an empty line.
func (d *Document) Space() { d.text.WriteString("\n") }

// Line is a sentence of its own.
func (d *Document) Line(format string, arguments ...any) {
	d.paragraph()
	fmt.Fprintf(&d.text, format+"\n", arguments...)
}

// Item is one of several reasons.
func (d *Document) Item(format string, arguments ...any) {
	indent := "  "
	if d.Markdown {
		indent = "- "
	}
	fmt.Fprintf(&d.text, indent+format+"\n", arguments...)
}

// Facts are a line each.
func (d *Document) Facts(facts Facts) {
	if len(facts) == 0 {
		return
	}
	d.paragraph()
	lines := NewTable([]string{"", ""})
	for _, fact := range facts {
		if d.Markdown {
			fmt.Fprintf(&d.text, "- **%s**: %s\n", fact.Name, fact.Text)
		} else {
			lines.Add(fact.Name, fact.Text)
		}
	}
	lines.text(&d.text, d.Paint)
}

// Table writes one that has rows.
func (d *Document) Table(table Table) {
	if len(table.Rows) == 0 {
		return
	}
	d.paragraph()
	if d.Markdown {
		table.markdown(&d.text)
	} else {
		table.text(&d.text, d.Paint)
	}
}

// Part is a table that has rows, below a heading.
func (d *Document) Part(heading string, table *Table) {
	if len(table.Rows) > 0 {
		d.Heading("%s", heading)
		d.Table(*table)
	}
}

// paragraph begins: Markdown needs an empty line for that, where there is none yet.
func (d *Document) paragraph() {
	if d.Markdown && d.text.Len() > 0 {
		d.Space()
	}
}

// Write writes what is there.
func (d *Document) Write(to io.Writer) error {
	_, err := io.WriteString(to, d.text.String())
	return err
}

// Paint colours single words, or nothing when it is false.
type Paint bool

// Colours of a terminal.
const (
	green  = "\x1b[32m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	bold   = "\x1b[1m"
	plain  = "\x1b[0m"
)

// wordColours are those of the words that are worth one.
var wordColours = map[string]string{
	"Improved": green, "Regressed": red, "Inconclusive": yellow,
	"succeeded": green, "failed": red, "refused": red, "regressed": red, "untrusted": yellow, "unknown": yellow,
}

// Heading makes a heading stand out.
func (p Paint) Heading(text string) string { return p.with(bold, text) }

func (p Paint) with(colour, text string) string {
	if !p || colour == "" {
		return text
	}
	return colour + text + plain
}
