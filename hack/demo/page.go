package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// pagesTimeout is far more than reading a result and drawing it takes.
const pagesTimeout = 2 * time.Minute

// writePages has the plugin write what it makes of a run or suite beside the tables: a page for a browser, a picture,
// and a text for a pull request.
func (d *demo) writePages(ctx context.Context, of types.NamespacedName, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, pagesTimeout)
	defer cancel()
	for _, form := range []string{"html", "svg", "md"} {
		path := filepath.Join(folder, "report."+form)
		report := exec.CommandContext(ctx, d.plugin,
			"report", of.Name, "--namespace", of.Namespace, "--output", form, "--out", path)
		if said, err := report.CombinedOutput(); err != nil {
			return fmt.Errorf("writing %s: %w: %s", path, err, strings.TrimSpace(string(said)))
		}
	}
	d.say("%s shows it in a browser", filepath.Join(folder, "report.html"))
	return nil
}
