package harness

import (
	"os/exec"
	"testing"
)

func TestAProgramHasATerminal(t *testing.T) {
	script := "test -t 0 && test -t 1 && test -t 2 && stty size && exit 3"
	code, said := OnTerminal(t, exec.CommandContext(t.Context(), "sh", "-c", script))
	if code != 3 || said != "40 120\r\n" {
		t.Errorf("exit code %d, and it said %q", code, said)
	}
}
