package output

import (
	"fmt"
	"strings"
)

// layout is a report while it is written for people: as text or, in the same words, as Markdown.
type layout struct {
	text     strings.Builder
	markdown bool
}

// heading begins a part of the report.
func (d *layout) heading(format string, arguments ...any) {
	if d.text.Len() > 0 {
		d.text.WriteString("\n")
	}
	if d.markdown {
		d.text.WriteString("### ")
	}
	fmt.Fprintf(&d.text, format+"\n", arguments...)
}

// line is a sentence of its own.
func (d *layout) line(format string, arguments ...any) {
	d.paragraph()
	fmt.Fprintf(&d.text, format+"\n", arguments...)
}

// facts are a line each.
func (d *layout) facts(facts []Fact) {
	if len(facts) == 0 {
		return
	}
	d.paragraph()
	lines := columns{left: 2}
	for _, fact := range facts {
		if d.markdown {
			fmt.Fprintf(&d.text, "- **%s**: %s\n", fact.Name, fact.Text)
			continue
		}
		lines.add(fact.Name, fact.Text)
	}
	lines.write(&d.text)
}

// table is rows, the first of them the names of the columns.
func (d *layout) table(table *columns) {
	d.paragraph()
	if d.markdown {
		table.writeMarkdown(&d.text)
		return
	}
	table.write(&d.text)
}

// item is one of several reasons.
func (d *layout) item(format string, arguments ...any) {
	indent := "  "
	if d.markdown {
		indent = "- "
	}
	fmt.Fprintf(&d.text, indent+format+"\n", arguments...)
}

// paragraph begins: Markdown needs an empty line for that, where there is none yet.
func (d *layout) paragraph() {
	if d.markdown && d.text.Len() > 0 {
		d.text.WriteString("\n")
	}
}
