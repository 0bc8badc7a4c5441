package sql

import (
	"strings"
	"testing"
)

// TestDurabilityIsKnownOrNotToldAtAll is about settings that no server of our own can be made to have.
func TestDurabilityIsKnownOrNotToldAtAll(t *testing.T) {
	const innoDB = "innodb_flush_log_at_trx_commit"
	for name, tc := range map[string]struct {
		settings settings
		want     string
	}{
		"nothing is told":            {settings{}, ""},
		"no engine is told":          {settings{innoDB: "1"}, ""},
		"no value is told":           {settings{"default_storage_engine": "InnoDB"}, ""},
		"a value of another release": {settings{"default_storage_engine": "InnoDB", innoDB: "4"}, ""},
		"another engine":             {settings{"default_storage_engine": "Aria", innoDB: "1"}, ""},
		"the other engine's": {
			settings{"default_storage_engine": "ROCKSDB", innoDB: "1", "rocksdb_write_disable_wal": "OFF"}, "",
		},
		"synced": {settings{"default_storage_engine": "InnoDB", innoDB: "1"}, "Synced"},
		"never synced": {
			settings{"default_storage_engine": "InnoDB", innoDB: "1", "innodb_flush_method": "nosync"}, "OSCache",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.settings.durability(); got != tc.want {
				t.Errorf("the durability is %q, want %q", got, tc.want)
			}
			if told := tc.settings.durabilitySettings(); (told == "") != (tc.want == "") {
				t.Errorf("of durability %q the settings told are %q", tc.want, told)
			}
		})
	}
}

func TestHowFilesAreSyncedIsAlwaysTold(t *testing.T) {
	for name, tc := range map[string]struct {
		method *string
		want   string
	}{
		"it is told":                             {new("O_DIRECT"), "innodb_flush_method O_DIRECT"},
		"nothing stands for MySQL 5.6's default": {new(""), "innodb_flush_method fsync"},
		"there is no such variable":              {nil, "innodb_flush_method ?"},
	} {
		t.Run(name, func(t *testing.T) {
			s := settings{"default_storage_engine": "InnoDB", "innodb_flush_log_at_trx_commit": "1"}
			if tc.method != nil {
				s["innodb_flush_method"] = *tc.method
			}
			if told := s.durabilitySettings(); !strings.HasSuffix(told, tc.want) {
				t.Errorf("the settings told are %q, want %q at the end", told, tc.want)
			}
		})
	}
}
