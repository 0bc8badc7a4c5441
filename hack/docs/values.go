package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

const valuesIntro = "After this page you know what can be set when you install or upgrade the operator with " +
	"Helm. `helm install` and `helm upgrade` take values by `--set NAME=VALUE`, or from a file by `--values`; " +
	"the chart's schema refuses a name that is not here."

// valuesPage lists the values of the chart with their defaults, from the comments of its values.yaml.
func valuesPage(root string) (string, error) {
	const file = "charts/mongobench-operator/values.yaml"
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return "", err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return "", fmt.Errorf("reading %s: %w", file, err)
	}
	var text strings.Builder
	text.WriteString(generated(file) + "# Values of the chart\n\n" + wrapped(valuesIntro) + "\n")
	entries(&text, "", document.Content[0])
	return text.String(), nil
}

// entries writes the values of a map: each with its comment, and of a map that has values those.
func entries(text *strings.Builder, prefix string, node *yaml.Node) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		name, said := prefix+key.Value, key.HeadComment
		// A comment apart, at the top of the file or of a group, is not of the value below it.
		said = said[strings.LastIndex("\n\n"+said, "\n\n"):]
		grouped := value.Kind == yaml.MappingNode && len(value.Content) > 0 && !isValue(name)
		// One without a comment goes with the one before it.
		if prefix == "" && (grouped || said != "") {
			fmt.Fprintf(text, "\n## %s\n\n", name)
		}
		if grouped {
			text.WriteString(paragraph(said))
			entries(text, name+".", value)
		} else {
			fmt.Fprintf(text, "- `%s: %s`%s\n", name, flow(value), indented(said))
		}
	}
}

// paragraph is a comment on a group.
func paragraph(comment string) string {
	if comment == "" {
		return ""
	}
	return prose(comment) + "\n\n"
}

// indented is a comment below the value that it is of.
func indented(comment string) string {
	if comment == "" {
		return ""
	}
	text := strings.ReplaceAll(prose(comment), "\n", "\n  ")
	return "  \n  " + strings.ReplaceAll(text, "\n  \n", "\n\n")
}

// isValue tells which maps are set as a whole.
func isValue(name string) bool {
	switch name {
	case "resources", "podSecurityContext", "containerSecurityContext", "nodeSelector", "dashboards.labels",
		"imageRepositories":
		return true
	}
	return false
}

// linked is a page that a comment names.
var linked = regexp.MustCompile(`\bdocs/([a-z/-]+\.md)`)

// prose is a comment as Markdown, an example in it as code.
func prose(comment string) string {
	var lines, code []string
	for line := range strings.Lines(comment) {
		line = strings.TrimPrefix(strings.TrimRight(line, "\n"), "#")
		if rest, ok := strings.CutPrefix(line, "   "); ok {
			code = append(code, rest)
		} else {
			lines = append(lines, strings.TrimPrefix(line, " "))
		}
	}
	said := wrapped(linked.ReplaceAllString(strings.Join(lines, " "), "[$1](../$1)"))
	if len(code) > 0 {
		said += "\n\n<!-- chart values -->\n```yaml\n" + strings.Join(code, "\n") + "\n```"
	}
	return said
}

// flow is a value on one line.
func flow(node *yaml.Node) string {
	one := *node
	one.Style, one.HeadComment, one.LineComment, one.FootComment = yaml.FlowStyle, "", "", ""
	if one.Kind == yaml.ScalarNode {
		one.Style = node.Style
	}
	encoded, err := yaml.Marshal(&one)
	if err != nil {
		return node.Value
	}
	return strings.Join(strings.Fields(string(encoded)), " ")
}
