package shown

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is the repository's folder.
const root = "../../.."

// block is a fenced block of a page.
type block struct {
	// page and line where it begins.
	page string
	line int
	// language of the fence, and the comment in the line before it.
	language, comment string
	text              string
}

func (b block) where() string { return b.page + ":" + strconv.Itoa(b.line) }

var (
	fence   = regexp.MustCompile("^ *```([a-z]*)$")
	comment = regexp.MustCompile(`^ *<!-- (.*) -->$`)
)

// blocksOf are those of a page's text.
func blocksOf(page, text string) []block {
	var found []block
	var open *block
	var body []string
	before := ""
	for i, line := range strings.Split(text, "\n") {
		fenced := fence.FindStringSubmatch(line)
		switch {
		case fenced == nil && open != nil:
			body = append(body, line)
		case fenced != nil && open != nil:
			open.text = dedented(body)
			found = append(found, *open)
			open, body = nil, nil
		case fenced != nil:
			open = &block{page: page, line: i + 1, language: fenced[1]}
			if said := comment.FindStringSubmatch(before); said != nil {
				open.comment = said[1]
			}
		}
		before = line
	}
	return found
}

// dedented lines are without the indentation of the first, as in a list.
func dedented(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " "))]
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(strings.TrimPrefix(line, indent) + "\n")
	}
	return text.String()
}

// blocks are those of a language on all pages that people write.
func blocks(t *testing.T, language string) []block {
	t.Helper()
	pages := []string{"README.md"}
	err := fs.WalkDir(os.DirFS(root), "docs", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var found []block
	for _, page := range pages {
		for _, one := range blocksOf(page, read(t, page)) {
			if one.language == language {
				found = append(found, one)
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("no page has a block of %s", language)
	}
	return found
}

// read is the text of a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(path.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestBlocks(t *testing.T) {
	got := blocksOf("a.md", "# A\n\n<!-- one -->\n```yaml\na: 1\n```\n- b\n  ```console\n  $ x\n  ```\n")
	want := []block{
		{page: "a.md", line: 4, language: "yaml", comment: "one", text: "a: 1\n"},
		{page: "a.md", line: 8, language: "console", text: "$ x\n"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(block{})); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}
