//go:build e2e

package krew

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
)

// The versions that are installed and upgraded to.
const (
	older = "v0.1.0"
	newer = "v0.1.1"
)

// user has Krew and kubectl, a folder with the releases' files that a server offers, and an index.
type user struct {
	part.Shell

	root, releases, index, address string
}

func newUser(t *testing.T) *user {
	t.Helper()
	bin := t.TempDir()
	u := &user{root: filepath.Join(t.TempDir(), "krew"), releases: t.TempDir(), index: t.TempDir()}
	server := httptest.NewServer(http.FileServer(http.Dir(u.releases)))
	t.Cleanup(server.Close)
	u.address = server.URL
	if err := os.Symlink(part.Program(t, "krew", ""), filepath.Join(bin, "kubectl-krew")); err != nil {
		t.Fatal(err)
	}
	u.Shell = part.Shell{Folder: t.TempDir(), Environment: []string{
		"KREW_ROOT=" + u.root, "HOME=" + bin, "INDEX=file://" + u.index, "ARCHIVE=" + archive(older),
		"PATH=" + filepath.Join(u.root, "bin") + ":" + bin + ":" + os.Getenv("PATH") + ":" + harness.KubectlFolder(t),
	}}
	return u
}

func platform() string { return runtime.GOOS + "_" + runtime.GOARCH }

func archive(version string) string {
	return "kubectl-mongobench_" + version + "_" + platform() + ".tar.gz"
}

// built are the archives of this machine's platform, by their versions.
var built = map[string][]byte{}

// build builds the archive of a release.
func build(t *testing.T, version string) []byte {
	t.Helper()
	if content := built[version]; content != nil {
		return content
	}
	source := part.Shell{Folder: part.Root(t), Environment: []string{"VERSION=" + version, "PLATFORMS=" + platform()}}
	source.Run(t, "make krew")
	content, err := os.ReadFile(filepath.Join(source.Folder, "dist", "krew", archive(version)))
	if err != nil {
		t.Fatal(err)
	}
	built[version] = content
	return content
}

// release offers a release's archive, and puts its manifest into a folder.
func (u *user) release(t *testing.T, version, folder string) {
	t.Helper()
	content := build(t, version)
	write(t, filepath.Join(u.releases, archive(version)), content)
	template, err := os.ReadFile(filepath.Join(part.Root(t), "hack", "krew", "mongobench.yaml.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	manifest := strings.NewReplacer("@VERSION@", version, "@URL@", u.address).Replace(string(template))
	// Only the archive for this machine is ever looked at.
	manifest = regexp.MustCompile(`@ARCHIVE_\w+@`).ReplaceAllString(manifest, archive(version))
	manifest = regexp.MustCompile(`@SHA256_\w+@`).ReplaceAllString(manifest, hex.EncodeToString(sum[:]))
	write(t, filepath.Join(folder, "mongobench.yaml"), []byte(manifest))
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// publish puts a release into the index.
func (u *user) publish(t *testing.T, version string) {
	t.Helper()
	u.release(t, version, filepath.Join(u.index, "plugins"))
	git := part.Shell{Folder: u.index}
	git.Run(t, "git init --quiet . && git add . && "+
		"git -c user.name=e2e -c user.email=e2e@example.com commit --quiet --message "+version)
}

// installed are the versions in Krew's store.
func (u *user) installed(t *testing.T) string {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(u.root, "store", "mongobench", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range folders {
		folders[i] = filepath.Base(folders[i])
	}
	return strings.Join(folders, " ")
}

func (u *user) wantInstalled(t *testing.T, want string) {
	t.Helper()
	if got := u.installed(t); got != want {
		t.Errorf("installed is %q, want %q", got, want)
	}
	_, err := os.Lstat(filepath.Join(u.root, "bin", "kubectl-mongobench"))
	if (err == nil) != (want != "") {
		t.Errorf("whether there is a program in the folder of PATH: %v", err)
	}
}

// check looks at what a command of the page has done.
func (u *user) check(t *testing.T, command, said string) {
	t.Helper()
	for begins, installed := range map[string]string{
		"kubectl krew install": older, "kubectl krew upgrade": newer, "kubectl krew uninstall": "",
	} {
		if strings.HasPrefix(command, begins) {
			u.wantInstalled(t, installed)
		}
	}
	for begins, want := range map[string]string{
		"kubectl mongobench version": "kubectl-mongobench", "kubectl_complete-mongobench": "first\n",
	} {
		if strings.HasPrefix(command, begins) && !strings.HasPrefix(said, want) {
			t.Errorf("%s: %q, want %q", command, said, want)
		}
	}
}

// TestThePage runs the commands of the page, one after the other.
func TestThePage(t *testing.T) {
	u := newUser(t)
	u.publish(t, older)
	u.release(t, older, u.Folder)
	write(t, filepath.Join(u.Folder, archive(older)), build(t, older))
	for _, command := range part.Commands(t, "krew.md") {
		if strings.HasPrefix(command, "kubectl krew upgrade") {
			u.publish(t, newer)
		}
		u.check(t, command, u.Run(t, command))
	}
	for file, says := range map[string]string{"first.yaml": "kind: BenchmarkRun", "samples.txt": "first"} {
		content, err := os.ReadFile(filepath.Join(u.Folder, file))
		if err != nil || !strings.Contains(string(content), says) {
			t.Errorf("%s does not say %q: %v:\n%s", file, says, err, content)
		}
	}
}

// TestAnArchiveThatWasChangedIsRefused is by the sum in the manifest.
func TestAnArchiveThatWasChangedIsRefused(t *testing.T) {
	u := newUser(t)
	u.release(t, older, u.Folder)
	write(t, filepath.Join(u.Folder, archive(older)), append(slices.Clone(build(t, older)), 0))
	_, failure := u.Try(t, `kubectl krew install --manifest=mongobench.yaml --archive="$ARCHIVE"`)
	if !strings.Contains(failure, "checksum") {
		t.Errorf("what Krew says: %q", failure)
	}
	u.wantInstalled(t, "")
}
