package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

const (
	// manifestFile is the name of the manifest beside the archives, and licence has to be in every archive.
	manifestFile = "mongobench.yaml"
	licence      = "LICENSE"

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
	var m manifest
	if err := yaml.UnmarshalStrict(content, &m); err != nil {
		return fmt.Errorf("the manifest: %w", err)
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
	URI    string `json:"uri"`
	SHA256 string `json:"sha256"`
	Bin    string `json:"bin"`
	// Files of the archive are copied to where they are installed.
	Files []struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"files"`
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

// checkArchive wants the archive of a platform to have its sum, and to hold the program and the licence.
func (p platform) checkArchive(folder fs.FS) error {
	name := path.Base(p.URI)
	content, err := fs.ReadFile(folder, name)
	if err != nil {
		return fmt.Errorf("reading the archive: %w", err)
	}
	digest := sha256.Sum256(content)
	if got := hex.EncodeToString(digest[:]); got != p.SHA256 {
		return fmt.Errorf("%s has the sum %s, and the manifest says %s", name, got, p.SHA256)
	}
	modes, err := modesOf(content)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if mode, there := modes[p.Bin]; !there || mode&0o111 != 0o111 {
		return fmt.Errorf("%s holds no program %s: %v", name, p.Bin, modes)
	}
	if _, there := modes[licence]; !there {
		return fmt.Errorf("%s holds no %s", name, licence)
	}
	return nil
}

// modesOf are the modes of the files in an archive, by their paths.
func modesOf(archive []byte) (map[string]fs.FileMode, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	modes := map[string]fs.FileMode{}
	reader := tar.NewReader(unpacked)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return modes, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag == tar.TypeReg {
			modes[path.Clean(header.Name)] = header.FileInfo().Mode()
		}
	}
}
