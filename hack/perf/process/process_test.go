package process

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
)

func TestKibibytes(t *testing.T) {
	const status = "Name:\tmanager\nVmPeak:\t  900 kB\nVmHWM:\t  1024 kB\nVmRSS:\t   90 kB\n"
	for name, want := range map[string]int64{"VmHWM:": 1 << 20, "VmRSS:": 90 << 10} {
		if got, err := kibibytes(status, name); err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", name, got, err, want)
		}
	}
	if size, err := kibibytes(status, "VmSwap:"); err == nil {
		t.Errorf("VmSwap, which is not there, is %d", size)
	}
	if _, err := kibibytes("Name:\tkthreadd\n", "VmHWM:"); err == nil {
		t.Error("a process without memory gave no error")
	}
}

func TestAProcessStandsStillUntilItGoesOn(t *testing.T) {
	busy, err := Start("busy", Command{Path: "/bin/sh", Arguments: []string{"-c", "while :; do :; done"}})
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Kill()
	state := func() (string, error) {
		content, err := os.ReadFile("/proc/" + strconv.Itoa(busy.PID()) + "/status")
		_, after, _ := strings.Cut(string(content), "State:\t")
		return after[:min(1, len(after))], err
	}
	g := gomega.NewWithT(t)
	g.Eventually(state, time.Minute).Should(gomega.Equal("R"))
	if err := busy.Pause(); err != nil {
		t.Fatal(err)
	}
	g.Eventually(state, time.Minute).Should(gomega.Equal("T"), "it works on")
	if err := busy.Resume(); err != nil {
		t.Fatal(err)
	}
	g.Eventually(state, time.Minute).Should(gomega.Equal("R"), "it stands still")
}
