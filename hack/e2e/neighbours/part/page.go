package part

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// commandDeadline bounds a command of a page.
const commandDeadline = 20 * time.Minute

// Commands are those of a page of docs/neighbours, in their order: the lines of its blocks that are marked sh. A line
// that ends in a backslash goes on in the next one.
func Commands(t *testing.T, page string) []string {
	t.Helper()
	all := strings.Join(Blocks(t, page, "sh"), "\n")
	return strings.Split(strings.ReplaceAll(all, "\\\n", ""), "\n")
}

// Blocks are those of a page of docs/neighbours that are marked as of this language, or not marked. There has to be
// one.
func Blocks(t *testing.T, page, language string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(t), "docs", "neighbours", page))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	// Every other part is between the two fences of a block.
	for i, part := range strings.Split("\n"+string(text), "\n```") {
		if marked, block, _ := strings.Cut(part, "\n"); i%2 == 1 && marked == language {
			blocks = append(blocks, block)
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no block of %q", page, language)
	}
	return blocks
}

// Shell is a user's, in a folder.
type Shell struct {
	Folder      string
	Environment []string
}

// Run has the shell run a command that has to succeed, and returns what it printed to the standard output.
func (s Shell) Run(t *testing.T, command string) string {
	t.Helper()
	out, failure := s.Try(t, command)
	if failure != "" {
		t.Fatalf("%s: %s", command, failure)
	}
	return out
}

// Try is Run for a command that may fail; failure is empty when it did not.
func (s Shell) Try(t *testing.T, command string) (out, failure string) {
	t.Helper()
	// What a test leaves is removed when its own context has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), commandDeadline)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", command)
	shell.Dir, shell.Env = s.Folder, append(os.Environ(), s.Environment...)
	var said bytes.Buffer
	shell.Stderr = &said
	printed, err := shell.Output()
	if err != nil {
		return string(printed), err.Error() + "\n" + string(printed) + said.String()
	}
	return string(printed), ""
}
