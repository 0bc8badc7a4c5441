package output

import (
	"fmt"
	"strings"

	"github.com/mongobench/mongobench-operator/internal/present"
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
	lines := present.Table{Columns: present.Columns("", "")}
	for _, fact := range facts {
		if d.markdown {
			fmt.Fprintf(&d.text, "- **%s**: %s\n", fact.Name, fact.Text)
			continue
		}
		lines.Add(fact.Name, fact.Text)
	}
	_ = lines.Write(&d.text, false) // A Builder takes everything.
}

// table writes one that has rows.
func (d *layout) table(table present.Table) {
	if len(table.Rows) == 0 {
		return
	}
	d.paragraph()
	if d.markdown {
		_ = table.Markdown(&d.text)
		return
	}
	_ = table.Write(&d.text, false)
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
