package addons

import (
	"bytes"
	"embed"
	"fmt"
	"text/template"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

//go:embed manifests
var manifests embed.FS

// Render makes all manifests as one YAML stream.
func Render(coreDNSImage string) ([]byte, error) {
	parsed, err := template.New("").Option("missingkey=error").ParseFS(manifests, "manifests/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("parsing manifests: %w", err)
	}
	var rendered bytes.Buffer
	for _, name := range []string{"access.yaml", "storage.yaml", "coredns.yaml"} {
		rendered.WriteString("---\n")
		err := parsed.ExecuteTemplate(&rendered, name, map[string]string{
			"CoreDNSImage": coreDNSImage, "DNSAddress": plan.DNSAddress, "Domain": plan.Domain,
		})
		if err != nil {
			return nil, fmt.Errorf("rendering %s: %w", name, err)
		}
	}
	return rendered.Bytes(), nil
}
