package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// manifestFile is the name of the manifest beside the archives.
const manifestFile = "mongobench.yaml"

func main() {
	if len(os.Args) != 2 {
		_, _ = fmt.Fprintln(os.Stderr, "usage: krew FOLDER, which holds the manifest and its archives")
		os.Exit(2)
	}
	if err := check(os.DirFS(os.Args[1])); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "krew:", err)
		os.Exit(1)
	}
	_, _ = fmt.Fprintf(os.Stdout, "krew: %s/%s and its archives keep to Krew's rules\n", os.Args[1], manifestFile)
}

// check checks a manifest and the archives beside it.
func check(folder fs.FS) error {
	content, err := fs.ReadFile(folder, manifestFile)
	if err != nil {
		return fmt.Errorf("reading the manifest: %w", err)
	}
	m, err := parse(content)
	if err != nil {
		return err
	}
	failures := m.check()
	for _, p := range m.Spec.Platforms {
		if err := p.checkArchive(folder); err != nil {
			failures = append(failures, fmt.Errorf("platform %s/%s: %w", p.Selector.MatchLabels["os"],
				p.Selector.MatchLabels["arch"], err))
		}
	}
	return errors.Join(failures...)
}
