package assets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// write writes a file, and the folders above it.
func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatalf("making folder: %v", err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatalf("writing file: %v", err)
	}
}

func TestModuleIsCompiledAgainOnlyWhenItsBuildWouldDiffer(t *testing.T) {
	cases := map[string]struct {
		file, content, flags string
		wantSame             bool
	}{
		"nothing changed":          {"main.go", "package main", "-s", true},
		"code changed":             {"main.go", "package main // 2", "-s", false},
		"a pin changed":            {"go.sum", "x", "-s", false},
		"the flags changed":        {"main.go", "package main", "-w", false},
		"a test was added":         {"main_test.go", "package main", "-s", true},
		"something else was added": {"README.md", "x", "-s", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			module := t.TempDir()
			write(t, filepath.Join(module, "main.go"), "package main")
			before, err := moduleKey(module, "-s")
			if err != nil {
				t.Fatalf("moduleKey: %v", err)
			}
			write(t, filepath.Join(module, tc.file), tc.content)
			after, err := moduleKey(module, tc.flags)
			if err != nil {
				t.Fatalf("moduleKey: %v", err)
			}
			if (before == after) != tc.wantSame {
				t.Errorf("same key: %v, want %v", before == after, tc.wantSame)
			}
		})
	}
}

func TestPinnedVersionIsTheOneThatIsNamed(t *testing.T) {
	source, err := Source()
	if err != nil {
		t.Fatalf("Source: %v", err)
	}
	content, err := os.ReadFile(filepath.Join(source, "kubernetes", "go.mod"))
	if err != nil {
		t.Fatalf("reading go.mod: %v", err)
	}
	if want := "k8s.io/kubernetes " + KubernetesVersion + "\n"; !strings.Contains(string(content), want) {
		t.Errorf("kubernetes/go.mod does not pin %s", want)
	}
	if flags := kubernetesFlags(); !strings.Contains(flags, "version.gitVersion="+KubernetesVersion) {
		t.Errorf("flags %q do not set the version", flags)
	}
}

func TestImagesAreNamedAfterTheirNewestArchive(t *testing.T) {
	folder := t.TempDir()
	for index, name := range []string{"pause-dev.tar", "coredns-1.2.0.tar", "coredns-1.10.0.tar"} {
		path := filepath.Join(folder, name)
		write(t, path, "")
		written := time.Unix(int64(1000*(index+1)), 0)
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatalf("setting time: %v", err)
		}
	}
	got, err := findImages(folder)
	if err != nil {
		t.Fatalf("findImages: %v", err)
	}
	if got.Pause != "mongobench.local/pause:dev" || got.CoreDNS != "mongobench.local/coredns:1.10.0" {
		t.Errorf("images = %+v, want pause:dev and coredns:1.10.0", got)
	}
	if _, err := findImages(t.TempDir()); err == nil {
		t.Error("images were found in an empty folder")
	}
}

func TestEachPackageIsFetchedOnce(t *testing.T) {
	got := packagesFor([]string{"runc", "containerd", "ctr", cniPlugins})
	want := []string{"containerd", "containernetworking-plugins", "runc"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("packages differ (-want +got):\n%s", diff)
	}
}

func TestStarterFindsTheLibrariesThatCameWithTheProgram(t *testing.T) {
	work := t.TempDir()
	write(t, filepath.Join(work, "root/usr/sbin/nft"), "")
	write(t, filepath.Join(work, "root/usr/lib/x86_64-linux-gnu/libnftables.so.1"), "")
	write(t, filepath.Join(work, "bin/.keep"), "")
	if err := writeStarters(work, "/cache/node"); err != nil {
		t.Fatalf("writeStarters: %v", err)
	}
	got, err := os.ReadFile(filepath.Join(work, "bin/nft"))
	if err != nil {
		t.Fatalf("reading starter: %v", err)
	}
	want := "#!/bin/sh\nexport LD_LIBRARY_PATH=/cache/node/root/usr/lib/x86_64-linux-gnu\n" +
		"exec /cache/node/root/usr/sbin/nft \"$@\"\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("starter differs (-want +got):\n%s", diff)
	}
}
