package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// tailBytes of a program's error output end up in the error: enough for the cause, too little for a build log.
const tailBytes = 2000

// Command is a program to run, with its arguments.
type Command struct {
	// Args are the program and its arguments.
	Args []string
	// Folder is where it runs; empty means the current one.
	Folder string
	// Env is added to the environment of this process.
	Env []string
	// Input is what it reads.
	Input string
}

// Output runs the command and gives what it wrote to standard output.
func (c Command) Output(ctx context.Context) (string, error) {
	var stdout, stderr bytes.Buffer
	process := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	process.Dir = c.Folder
	process.Env = append(os.Environ(), c.Env...)
	process.Stdin = strings.NewReader(c.Input)
	process.Stdout, process.Stderr = &stdout, &stderr
	if err := process.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", err, context.Cause(ctx))
		}
		return stdout.String(), fmt.Errorf("running %s: %w: %s", c.Args[0], err, tail(stderr.String()))
	}
	return stdout.String(), nil
}

func tail(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > tailBytes {
		text = "... " + text[len(text)-tailBytes:]
	}
	return text
}
