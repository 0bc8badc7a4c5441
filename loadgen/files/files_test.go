package files_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/files"
)

// folder has a file outside of all, a ConfigMap as the kubelet mounts one, and a volume with links in and out of it.
func folder(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	below := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	for _, dir := range []string{"configmap/c/..1", "volume/v/deep", "volume/w"} {
		if err := os.MkdirAll(below(dir), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	for file, content := range map[string]string{
		"secret": "a secret", "configmap/c/..1/key": "of the ConfigMap", "volume/v/deep/file": "of the volume",
		"volume/w/file": "of another volume",
	} {
		if err := os.WriteFile(below(file), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"configmap/c/..data": "..1", "configmap/c/key": "..data/key", "volume/v/within": "deep/file",
		"volume/v/up": "../../secret", "volume/v/absolute": below("secret"), "volume/v/other": "../w/file",
	} {
		if err := os.Symlink(to, below(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(below("volume/v/pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestOnlyWhatIsWithinIsOpened(t *testing.T) {
	in := files.Files{Folder: folder(t), ConfigMaps: map[string]map[string]string{"here": {"key": "at hand"}}}
	volume := func(path string) planv1.File { return planv1.File{Claim: "v", Path: path} }
	for name, tc := range map[string]struct {
		files files.Files
		file  planv1.File
		// want is the content, or wantErr a part of the error.
		want, wantErr string
	}{
		"a key":              {in, planv1.File{ConfigMap: "c", Path: "key"}, "of the ConfigMap", ""},
		"a key at hand":      {in, planv1.File{ConfigMap: "here", Path: "key"}, "at hand", ""},
		"a file":             {in, volume("deep/file"), "of the volume", ""},
		"a link within":      {in, volume("within"), "of the volume", ""},
		"a link out of it":   {in, volume("up"), "", "escapes"},
		"an absolute link":   {in, volume("absolute"), "", "escapes"},
		"another volume's":   {in, volume("other"), "", "escapes"},
		"dots":               {in, volume("../../secret"), "", "escapes"},
		"an absolute path":   {in, volume(in.Folder + "/secret"), "", "escapes"},
		"dots in the claim":  {in, planv1.File{Claim: "..", Path: "secret"}, "", "no name"},
		"a claim that leads": {in, planv1.File{Claim: "../..", Path: "secret"}, "", "no name"},
		"no name":            {in, planv1.File{Path: "v/deep/file"}, "", "no name"},
		"a folder":           {in, volume("deep"), "", "no regular file"},
		"a pipe":             {in, volume("pipe"), "", "no regular file"},
		"what is not there":  {in, volume("nothing"), "", "opening volume/v/nothing: "},
		"without a folder":   {files.Files{}, volume("deep/file"), "", "not told"},
	} {
		t.Run(name, func(t *testing.T) {
			opened, err := tc.files.Open(tc.file)
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Errorf("error %v, want one with %q", err, tc.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(opened)
			if string(content) != tc.want || err != nil || opened.Close() != nil {
				t.Errorf("it holds %q, %v; want %q", content, err, tc.want)
			}
		})
	}
}
