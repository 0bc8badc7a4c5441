package validation_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// TestNamesThatAreNotKnown has, of each kind of name that the API leaves open, one that this version of the operator
// does not know: the error lists those that it knows.
func TestNamesThatAreNotKnown(t *testing.T) {
	const compressors = `Unsupported value: "Lz4": supported values: "None", "Snappy", "Zlib", "Zstd"`
	validateTargets(t, map[string]testCase{
		"an engine": {
			spec: ofVersion("6.0.5", `, engine: {name: RocksDB}`),
			want: []string{`spec.mongodb.engine.name: Unsupported value: "RocksDB": supported values: "WiredTiger", ` +
				`"InMemory", "EphemeralForTest", "TokuMX"`},
		},
		"a data structure of WiredTiger": {
			spec: ofVersion("6.0.5", `, engine: {wiredTiger: {type: Trie}}`),
			want: []string{`spec.mongodb.engine.wiredTiger.type: Unsupported value: "Trie": supported values: "BTree", "LSM"`},
		},
		"compressors": {
			spec: ofVersion("6.0.5", `, engine: {wiredTiger: {compressor: Lz4, journalCompressor: Lz4}}`),
			want: []string{
				"spec.mongodb.engine.wiredTiger.compressor: " + compressors,
				"spec.mongodb.engine.wiredTiger.journalCompressor: " + compressors,
			},
		},
		"an engine of MariaDB": {
			spec: ofMariaDB(", engine: Aria"),
			want: []string{`spec.mariadb.engine: Unsupported value: "Aria": supported values: "InnoDB", "MyRocks"`},
		},
		"a kind of issuer": {
			spec: ofVersion("6.0.5", `, security: {tls: {mode: Required, issuerRef: {name: a, kind: Vault}}}`),
			want: []string{`spec.mongodb.security.tls.issuerRef.kind: Unsupported value: "Vault": supported values: "Issuer", ` +
				`"ClusterIssuer"`},
		},
	})
	for name, tc := range map[string]testCase{
		"a compressor of a collection": {
			spec: withCollection("options: {compressor: Lz4}"),
			want: []string{"spec.dataset.collections[0].options.compressor: " + compressors},
		},
		"a preset": {
			spec: "preset: {name: YCSB-G}",
			want: []string{`spec.preset.name: Unsupported value: "YCSB-G": supported values: "YCSB-A", "YCSB-B", `},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
