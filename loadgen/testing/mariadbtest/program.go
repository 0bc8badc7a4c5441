package mariadbtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/testing/process"
)

// Program is a mariadbd that does not lie where it was built to lie.
type Program struct{ home string }

// Installed is the newest program that `make mariadb` has brought. A test is skipped where there is none.
func Installed(tb testing.TB) Program {
	tb.Helper()
	cache := process.Cache(tb)
	found, err := filepath.Glob(filepath.Join(cache, "mariadb", "*", "bin", "mariadbd"))
	if err != nil || len(found) == 0 {
		tb.Skipf("needs mariadb: there is none under %s; make mariadb fetches it", filepath.Join(cache, "mariadb"))
	}
	return Program{filepath.Dir(filepath.Dir(slices.Max(found)))}
}

// Path is the program's own.
func (p Program) Path() string { return filepath.Join(p.home, "bin", "mariadbd") }

// Share is the folder with the statements that make the system tables.
func (p Program) Share() string { return filepath.Join(p.home, "share") }

// Libraries is the folder that LD_LIBRARY_PATH has to name when the program is run.
func (p Program) Libraries() string { return filepath.Join(p.home, "lib") }

// Arguments tell it where its files lie.
func (p Program) Arguments() []string {
	arguments := []string{
		"--lc-messages-dir=" + p.Share(), "--character-sets-dir=" + filepath.Join(p.Share(), "charsets"),
		"--plugin-dir=" + filepath.Join(p.home, "plugin"),
	}
	if os.Geteuid() == 0 {
		// It refuses to run as root unless it is told to.
		arguments = append(arguments, "--user=root")
	}
	return arguments
}

// command runs it.
func (p Program) command(arguments []string) *exec.Cmd {
	return process.Command(p.Path(), p.Libraries(), arguments...)
}
