package server

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVersionsOfMySQLThatAreKnown(t *testing.T) {
	for version, known := range map[string]bool{"5.6.14": true, "5.5.9": true, "5.6": false, "8.0.36": false, "": false} {
		if _, err := archiveOf(version); (err == nil) != known {
			t.Errorf("%q: %v", version, err)
		}
	}
	for _, version := range MySQL.Defaults {
		if _, err := archiveOf(version); err != nil {
			t.Error(err)
		}
	}
}

func TestVersionOfMySQLIsReadFromWhatTheServerSays(t *testing.T) {
	for said, want := range map[string]string{
		"/x/mysqld  Ver 5.6.14 for linux-glibc2.5 on x86_64 (MySQL Community Server (GPL))":  "5.6.14",
		"/x/mysqld  Ver 5.5.9 for Linux on x86_64 (Source distribution)":                     "5.5.9",
		"/x/mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian)": "",
	} {
		found := MySQL.says.FindStringSubmatch(said)
		if got := append(found, "", "")[1]; got != want {
			t.Errorf("%s: version %q, want %q", said, got, want)
		}
	}
}

// packed is an archive of files whose content is their name.
func packed(t *testing.T, names ...string) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "packed.zip"))
	if err != nil {
		t.Fatal(err)
	}
	writer := zip.NewWriter(file)
	for _, name := range names {
		entry, err := writer.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		if _, err := entry.Write([]byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

func TestFilesAndFoldersAreTakenOutOfAnArchive(t *testing.T) {
	file, to := packed(t, "bin/mysqld", "bin/mysqld-debug", "share/", "share/a/b", "share/c"), t.TempDir()
	err := unzip(file, map[string]string{
		"bin/mysqld": filepath.Join(to, "deep", "server"), "share/": filepath.Join(to, "shared"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{
		"deep/server": "bin/mysqld", "shared/a/b": "share/a/b", "shared/c": "share/c",
	} {
		if content, err := os.ReadFile(filepath.Join(to, place)); err != nil || string(content) != want {
			t.Errorf("%s is %q (%v), want %q", place, content, err, want)
		}
	}
	for name, says := range map[string]string{"bin/mysql": "holds no bin/mysql", "shared/": "holds no shared/"} {
		err := unzip(file, map[string]string{name: filepath.Join(to, "nothing")})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	err = unzip(packed(t, "share/../../out"), map[string]string{"share/": filepath.Join(to, "x")})
	if err == nil {
		t.Error("a file outside of the folder is taken")
	}
}
