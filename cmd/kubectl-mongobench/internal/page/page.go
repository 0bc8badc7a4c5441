package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

//go:embed assets
var assets embed.FS

// sheet is one page: what is in the window's title, the data, and the styles and scripts that draw them, besides those
// that every page has.
type sheet struct {
	title   string
	data    any
	styles  []string
	scripts []string
}

// common are the assets that every page has, in the order in which they need each other.
var (
	commonStyles  = []string{"vendor/uPlot.min.css", "page.css"}
	commonScripts = []string{"vendor/uPlot.iife.min.js", "parts.js", "plot.js", "chart.js"}
)

// write writes a page. Its scripts and its style are allowed by their hashes, and everything else is forbidden, so that
// not even a fault of ours lets the page load or send anything.
func (s sheet) write(to io.Writer) error {
	data, err := json.Marshal(s.data)
	if err != nil {
		return fmt.Errorf("encoding the page's data: %w", err)
	}
	shell, err := assets.ReadFile("assets/page.html")
	if err != nil {
		return err
	}
	var style, scripts, hashes strings.Builder
	for _, name := range slices.Concat(commonStyles, s.styles) {
		content, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return err
		}
		style.WriteString("\n" + string(content))
	}
	for _, name := range slices.Concat(commonScripts, s.scripts) {
		content, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return err
		}
		script := "\n" + string(content)
		fmt.Fprintf(&scripts, "<script>%s</script>\n", script)
		fmt.Fprintf(&hashes, " '%s'", hashOf(script))
	}
	policy := fmt.Sprintf("default-src 'none'; script-src%s; style-src '%s'; img-src data:; base-uri 'none'; "+
		"form-action 'none'", hashes.String(), hashOf(style.String()))
	// One pass over the shell: what one of the parts holds is not looked at again. JSON has no <, > or & of its own: the
	// encoder writes them as escapes, so that no name can end the script that it lies in.
	_, err = strings.NewReplacer(
		"{{policy}}", policy, "{{title}}", html.EscapeString(s.title), "{{style}}", style.String(), "{{data}}", string(data),
		"{{scripts}}", scripts.String(),
	).WriteString(to, string(shell))
	return err
}

// hashOf is how a policy names an inline script or style.
func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
