package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/config/samples"
	"github.com/mongobench/mongobench-operator/internal/present"
)

func (t *tool) newCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "new [PRESET]",
		Short:     "Print a commented file to start from; without a preset, list all of them",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: samples.Names(),
		RunE: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) == 0 {
				return t.presets()
			}
			content, ok := samples.Read(arguments[0])
			if !ok {
				return fmt.Errorf("%w: there is no preset %q; kubectl mongobench new lists them", cluster.ErrUsage, arguments[0])
			}
			_, err := t.Out.Write(content)
			return err
		},
	}
}

// presets writes a line for each preset: its name, and the first sentence of its comment.
func (t *tool) presets() error {
	table := present.NewTable([]string{"", ""})
	for _, name := range samples.Names() {
		content, _ := samples.Read(name)
		table.Add(name, firstSentence(string(content)))
	}
	return table.Write(t.Out, false)
}

// firstSentence of the comment that a file begins with.
func firstSentence(content string) string {
	var words []string
	for line := range strings.Lines(content) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok || comment == "" {
			break
		}
		words = append(words, strings.TrimSpace(comment))
	}
	text := strings.Join(words, " ")
	if end := strings.Index(text, ". "); end >= 0 {
		text = text[:end]
	}
	return strings.TrimSuffix(text, ".")
}
