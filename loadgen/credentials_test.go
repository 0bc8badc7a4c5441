package loadgen_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen"
)

func TestCredentialsAreReadWithoutTheirEndsOfLine(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("username", "load\r\n")
	if _, _, err := loadgen.Credentials(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a password the error is %v", err)
	}
	// A password may begin and end with anything else.
	write("password", "\n s3cret \n")
	username, password, err := loadgen.Credentials(folder)
	if err != nil || username != "load" || password != "\n s3cret " {
		t.Errorf("username %q, password %q, error %v", username, password, err)
	}
}
