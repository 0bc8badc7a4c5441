package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// keyfileMode is the only one besides 0600 with which mongod accepts a keyfile. A mounted Secret cannot have it, hence
// the copy.
const keyfileMode = 0o400

func keyfileCommand() *cobra.Command {
	var from, to string
	command := &cobra.Command{
		Use:   "keyfile",
		Short: "Copies a keyfile to where mongod can read it with the mode that it insists on",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return copyKeyfile(from, to)
		},
	}
	command.Flags().StringVar(&from, "from", "", "file to copy")
	command.Flags().StringVar(&to, "to", "", "file to make, with mode 0400")
	_ = command.MarkFlagRequired("from")
	_ = command.MarkFlagRequired("to")
	return command
}

// copyKeyfile may be repeated: a file that is there is replaced.
func copyKeyfile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("reading the keyfile: %w", err)
	}
	// The file gets its mode before it gets its name: mongod may start as soon as the name is there.
	file, err := os.CreateTemp(filepath.Dir(to), ".keyfile-")
	if err != nil {
		return fmt.Errorf("making the keyfile: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.Write(content)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("writing the keyfile: %w", err)
	}
	if err := os.Chmod(file.Name(), keyfileMode); err != nil {
		return fmt.Errorf("setting the keyfile's mode: %w", err)
	}
	if err := os.Rename(file.Name(), to); err != nil {
		return fmt.Errorf("making the keyfile: %w", err)
	}
	return nil
}
