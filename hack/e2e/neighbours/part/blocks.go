package part

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Blocks are the fenced blocks of a neighbour's page, docs/neighbours/NAME.md, that are in one language, in order: what
// a reader copies is what the scenario runs.
func Blocks(t *testing.T, name, language string) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(Root(t), "docs", "neighbours", name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for i, part := range strings.Split(string(page), "```") {
		said, content, _ := strings.Cut(part, "\n")
		if i%2 == 1 && said == language {
			blocks = append(blocks, content)
		}
	}
	return blocks
}

// Block is the one block of a page, in a language, that holds a text.
func Block(t *testing.T, name, language, text string) string {
	t.Helper()
	var found []string
	for _, block := range Blocks(t, name, language) {
		if strings.Contains(block, text) {
			found = append(found, block)
		}
	}
	if len(found) != 1 {
		t.Fatalf("docs/neighbours/%s.md has %d blocks in %s that hold %q, want one", name, len(found), language, text)
	}
	return found[0]
}
