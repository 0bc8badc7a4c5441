package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Forms that code names. Text is what is written unless another is asked for; md is what a pull request shows.
const (
	formText = "text"
	formHTML = "html"
	formMD   = "md"
	formSVG  = "svg"
	formPNG  = "png"
)

// sheet is what a form is written on.
type sheet struct {
	io.Writer
	present.Paint
}

// forms are those in which something can be written, by their names.
type forms[T any] map[string]func(to sheet, what T) error

func (f forms[T]) names() []string { return slices.Sorted(maps.Keys(f)) }

// asked is the form that is asked for, and the file for it; without one it is written to the output.
type asked struct{ form, file string }

// addForms adds the flag -o for the forms that there are.
func addForms[T any](command *cobra.Command, into *asked, forms forms[T], what string) {
	names := forms.names()
	command.Flags().StringVarP(&into.form, "output", "o", formText, what+" "+strings.Join(names, ", "))
	// It fails for a flag that is not there, only.
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// addFile adds the flag that says where to write.
func addFile(command *cobra.Command, into *asked) {
	command.Flags().StringVar(&into.file, "out", "", "file to write to; default: standard output")
}

// write reads something and writes it in the form that is asked for. A form that there is none of is refused before
// anything is read.
func write[T any](t *tool, asked asked, forms forms[T], of string, read func() (T, error)) error {
	form, ok := forms[asked.form]
	if !ok {
		return fmt.Errorf("%w: -o %s: %s can be written as %s", cluster.ErrUsage, asked.form, of,
			strings.Join(forms.names(), ", "))
	}
	what, err := read()
	if err != nil {
		return err
	}
	if asked.file == "" {
		return form(sheet{t.Out, t.paint()}, what)
	}
	return writeFile(asked.file, func(to sheet) error { return form(to, what) })
}

func writeFile(path string, write func(to sheet) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(sheet{Writer: file}), file.Close())
}

// writeJSON is a form of everything.
func writeJSON[T any](to sheet, value T) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
