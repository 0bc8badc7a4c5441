package machine

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatLineIsReadWhateverTheProcessIsCalled(t *testing.T) {
	rest := " 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4711 0 0"
	cases := map[string]struct {
		line    string
		want    Process
		wantErr bool
	}{
		"a plain name":                  {"42 (etcd) S" + rest, Process{PID: 42, Parent: 7, StartTime: 4711}, false},
		"a name with spaces and parens": {"42 (a) b (c) S" + rest, Process{PID: 42, Parent: 7, StartTime: 4711}, false},
		"a zombie": {
			"42 (etcd) Z" + rest, Process{PID: 42, Parent: 7, StartTime: 4711, Zombie: true}, false,
		},
		"a short line": {"42 (etcd) S 7 0 0", Process{}, true},
		"no name":      {"42 etcd S", Process{}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parseStat(tc.line)
			if (err != nil) != tc.wantErr {
				t.Fatalf("error = %v, want one: %v", err, tc.wantErr)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("process differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMarkIsFoundByItsWholeName(t *testing.T) {
	block := []byte("PATH=/bin\x00NOT_" + MarkerVariable + "=/no\x00" + MarkerVariable + "=/state\x00")
	if got := variable(block, MarkerVariable); got != "/state" {
		t.Errorf("mark = %q, want /state", got)
	}
	if got := variable([]byte("PATH=/bin\x00"), MarkerVariable); got != "" {
		t.Errorf("mark = %q, want none", got)
	}
}

func TestRecordOfAnotherProcessWithTheSamePIDIsNotRunning(t *testing.T) {
	folder := t.TempDir()
	process, err := ReadProcess(os.Getpid())
	if err != nil {
		t.Fatalf("ReadProcess: %v", err)
	}
	saved := Record{Name: "node1", Process: process}
	if err := saved.save(folder); err != nil {
		t.Fatalf("save: %v", err)
	}
	loaded, err := LoadRecord(folder)
	if err != nil {
		t.Fatalf("LoadRecord: %v", err)
	}
	saved.Parent, saved.Marker = 0, "" // These are only for a look at all processes.
	if diff := cmp.Diff(saved, loaded); diff != "" {
		t.Errorf("loaded record differs (-saved +loaded):\n%s", diff)
	}
	if !loaded.Running() {
		t.Error("this process is said not to run")
	}
	loaded.StartTime--
	if loaded.Running() {
		t.Error("a process that started earlier, and had our PID, is said to run")
	}
}
