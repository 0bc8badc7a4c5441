package cache

import "testing"

func TestCacheFolderComesFromTheEnvironmentElseTheHome(t *testing.T) {
	t.Setenv("HOME", "/home/someone")
	for name, tc := range map[string]struct{ variable, want string }{
		"set":   {"/elsewhere", "/elsewhere/mongod/6.0.5"},
		"unset": {"", "/home/someone/.cache/mongobench/mongod/6.0.5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("MONGOBENCH_CACHE", tc.variable)
			root, err := Locate()
			if err != nil {
				t.Fatal(err)
			}
			if got := root.Server("mongod", "6.0.5"); got != tc.want {
				t.Errorf("folder of a server is %q, want %q", got, tc.want)
			}
		})
	}
}
