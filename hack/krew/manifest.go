package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

const (
	apiVersion = "krew.googlecontainertools.github.com/v1alpha2"
	kind       = "Plugin"
	pluginName = "mongobench"
	// longestShort is how long Krew's index wants a short description to be at most.
	longestShort = 50
)

var (
	version = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)
	sum     = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// wanted are the platforms that the plugin is built for.
var wanted = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64"}

// manifest is what Krew reads, as far as it is used here.
type manifest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Version          string     `json:"version"`
		Homepage         string     `json:"homepage"`
		ShortDescription string     `json:"shortDescription"`
		Description      string     `json:"description"`
		Caveats          string     `json:"caveats"`
		Platforms        []platform `json:"platforms"`
	} `json:"spec"`
}

// platform is where one archive is for.
type platform struct {
	Selector struct {
		MatchLabels map[string]string `json:"matchLabels"`
	} `json:"selector"`
	URI    string      `json:"uri"`
	SHA256 string      `json:"sha256"`
	Bin    string      `json:"bin"`
	Files  []operation `json:"files"`
}

// operation copies a file of the archive to where it is installed.
type operation struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func parse(content []byte) (manifest, error) {
	var m manifest
	if err := yaml.UnmarshalStrict(content, &m); err != nil {
		return m, fmt.Errorf("the manifest: %w", err)
	}
	return m, nil
}

// check applies the rules for the manifest itself.
func (m manifest) check() []error {
	var failures []error
	want := func(ok bool, format string, arguments ...any) {
		if !ok {
			failures = append(failures, fmt.Errorf(format, arguments...))
		}
	}
	short := m.Spec.ShortDescription
	want(m.APIVersion == apiVersion, "apiVersion is %q, want %q", m.APIVersion, apiVersion)
	want(m.Kind == kind, "kind is %q, want %q", m.Kind, kind)
	want(m.Metadata.Name == pluginName, "metadata.name is %q; it has to be that of the file, %q", m.Metadata.Name,
		pluginName)
	want(version.MatchString(m.Spec.Version), "spec.version is %q; it has to be like v1.2.3", m.Spec.Version)
	want(strings.HasPrefix(m.Spec.Homepage, "https://"), "spec.homepage is %q", m.Spec.Homepage)
	want(short != "" && len(short) <= longestShort && !strings.ContainsAny(short, "\r\n"),
		"spec.shortDescription has to be one line of at most %d characters: %q", longestShort, short)
	want(m.Spec.Description != "", "spec.description is missing")
	found := make([]string, 0, len(m.Spec.Platforms))
	for i, p := range m.Spec.Platforms {
		found = append(found, p.Selector.MatchLabels["os"]+"/"+p.Selector.MatchLabels["arch"])
		if err := p.check(m.Spec.Version); err != nil {
			failures = append(failures, fmt.Errorf("spec.platforms[%d]: %w", i, err))
		}
	}
	slices.Sort(found)
	// Each machine has to find one archive, and only one.
	want(slices.Equal(found, wanted), "spec.platforms are for %v, want %v", found, wanted)
	return failures
}

func (p platform) check(version string) error {
	switch {
	case len(p.Selector.MatchLabels) != 2:
		return fmt.Errorf("selector.matchLabels has to be os and arch: %v", p.Selector.MatchLabels)
	case !strings.HasPrefix(p.URI, "https://") || !strings.Contains(p.URI, "/"+version+"/"):
		return fmt.Errorf("uri has to be an https address of release %s: %q", version, p.URI)
	case !sum.MatchString(p.SHA256):
		return fmt.Errorf("sha256 is none: %q", p.SHA256)
	case p.Bin == "":
		return errors.New("bin is missing")
	case p.Files != nil && len(p.Files) == 0:
		return errors.New("files has to be left out, or to name some")
	}
	for _, file := range p.Files {
		if file.From == "" || file.To == "" {
			return errors.New("files has an entry without from or to")
		}
	}
	return nil
}
