package part

import (
	"strings"
	"testing"
)

// Block is the one block of a page, in a language, that holds a text.
func Block(t *testing.T, name, language, text string) string {
	t.Helper()
	var found []string
	for _, block := range Blocks(t, name+".md", language) {
		if strings.Contains(block, text) {
			found = append(found, block)
		}
	}
	if len(found) != 1 {
		t.Fatalf("docs/neighbours/%s.md has %d blocks in %s that hold %q, want one", name, len(found), language, text)
	}
	return found[0]
}
