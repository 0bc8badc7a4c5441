package recipe

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
)

func TestTarballIsNamedAfterNameAndTag(t *testing.T) {
	for reference, want := range map[string]string{
		"mongobench.local/pause:dev":    "pause-dev.tar",
		"mongobench.local/mongod:6.0.5": "mongod-6.0.5.tar",
	} {
		if got := tarballName(reference); got != want {
			t.Errorf("%s: tarball is %q, want %q", reference, got, want)
		}
	}
}

func TestUnknownImageNamesTheKnownOnes(t *testing.T) {
	workspace := Workspace{cache: cache.Root(t.TempDir()), root: t.TempDir()}
	_, err := workspace.Build(t.Context(), "mongos")
	const known = "pause coredns operator loadgen ferretdb " +
		"mongod:6.0.5 mongod:4.4.2 mongod:5.0.4 mongod:4.2.6 mariadb:10.11"
	if err == nil || !strings.Contains(err.Error(), known) {
		t.Errorf("error is %v", err)
	}
}

func TestMissingProgramIsSaidBeforeTheCompilerRuns(t *testing.T) {
	workspace := Workspace{cache: cache.Root(t.TempDir()), root: t.TempDir()}
	_, err := workspace.Build(t.Context(), "operator")
	if err == nil || !strings.Contains(err.Error(), "no such program") {
		t.Errorf("error is %v", err)
	}
}

func TestRequiredVersionIsReadInBothForms(t *testing.T) {
	for name, tc := range map[string]struct {
		goMod, want string
		wantErr     bool
	}{
		"on a line of its own": {goMod: "module a\n\nrequire example.org/dns v1.2.3\n", want: "1.2.3"},
		"in a block":           {goMod: "require (\n\texample.org/dns v1.2.3 // indirect\n)\n", want: "1.2.3"},
		"a longer path only":   {goMod: "require example.org/dns/v2 v2.0.0\n", wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "go.mod")
			if err := os.WriteFile(path, []byte(tc.goMod), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := requiredVersion(path, "example.org/dns")
			if (err != nil) != tc.wantErr || got != tc.want {
				t.Errorf("version is %q (%v), want %q", got, err, tc.want)
			}
		})
	}
}

func TestFolderKeyFollowsNamesAndContents(t *testing.T) {
	key := func(files map[string]string) string {
		folder := t.TempDir()
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := folderKey(folder)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	base := key(map[string]string{"go.mod": "a", "main.go": "b"})
	if again := key(map[string]string{"main.go": "b", "go.mod": "a"}); again != base {
		t.Error("the same files give two keys")
	}
	for name, files := range map[string]map[string]string{
		"another content":          {"go.mod": "a", "main.go": "c"},
		"another name":             {"go.mod": "a", "more.go": "b"},
		"contents the other way":   {"go.mod": "b", "main.go": "a"},
		"a file whose text merges": {"go.mod": "amain.go 1\nb"},
	} {
		if key(files) == base {
			t.Errorf("%s: the key stays the same", name)
		}
	}
}

func TestLibrariesOfTheCacheJoinTheCLibrary(t *testing.T) {
	entries, err := placeLibraries([]string{
		"/cache/lib/libssl.so.1.1", "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2",
	}, "/cache/lib")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, 0, len(entries))
	for _, entry := range entries {
		got = append(got, entry.Path)
	}
	slices.Sort(got)
	want := []string{
		"/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libssl.so.1.1", "/lib64/ld-linux-x86-64.so.2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if _, err := placeLibraries([]string{"/lib64/ld-linux-x86-64.so.2"}, "/cache/lib"); err == nil {
		t.Error("libraries without the C library gave no error")
	}
}

func TestAServerWithoutAVersionIsAllThatAClusterHas(t *testing.T) {
	for _, tc := range []struct{ names, want []string }{
		{nil, Defaults()},
		{[]string{"mongod:6.0.27", "pause"}, []string{"mongod:6.0.27", "pause"}},
		{[]string{"mysql"}, []string{"mysql:5.6.14", "mysql:5.5.9"}},
		{
			[]string{"mariadb", "mongod"},
			[]string{"mariadb:10.11", "mongod:6.0.5", "mongod:4.4.2", "mongod:5.0.4", "mongod:4.2.6"},
		},
	} {
		if got := Named(tc.names); !slices.Equal(got, tc.want) {
			t.Errorf("%q: got %q, want %q", tc.names, got, tc.want)
		}
	}
}
