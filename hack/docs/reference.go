package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// writeReference writes the pages of the reference that are made here.
func writeReference(root string) error {
	// The comments of Go types are looked for by their path from the module's folder.
	if err := os.Chdir(root); err != nil {
		return err
	}
	root = "."
	made := map[string]func(root string) (string, error){
		"chart-values.md":    valuesPage,
		"report.schema.json": schemaText,
		"report-schema.md":   schemaPage,
	}
	for _, one := range programs {
		made["flags-of-"+one.folder+".md"] = one.page
	}
	for name, make := range made {
		text, err := make(root)
		if err != nil {
			return fmt.Errorf("making %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(root, "docs", "reference", name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
