package validation_test

import "testing"

// ofExisting is a database that exists already, and more.
func ofExisting(more string) string {
	return `{external: {uriSecretRef: {name: a, key: b}` + more + `}}`
}

func TestValidateExternal(t *testing.T) {
	validateTargets(t, map[string]testCase{
		"a MongoDB is what it is by default":  {spec: ofExisting(", durability: Majority")},
		"a MongoDB of no durability is valid": {spec: ofExisting(", product: MongoDB, durability: None")},
		"a client certificate is valid": {
			spec: ofExisting(", tls: {caSecretRef: {name: c}, clientCertificateSecretRef: {name: d}}"),
		},
		"the authority of a MariaDB is valid": {spec: ofExisting(", product: MariaDB, tls: {caSecretRef: {name: c}}")},
		"a MariaDB that is flushed by the system is valid": {
			spec: ofExisting(", product: MariaDB, durability: OSCache"),
		},
		"a product that is not known": {
			spec: ofExisting(", product: Oracle"),
			want: []string{`spec.external.product: supported values: "FerretDB", "MariaDB", "MongoDB"`},
		},
		"a client certificate for a MariaDB": {
			spec: ofExisting(", product: MariaDB, tls: {clientCertificateSecretRef: {name: d}}"),
			want: []string{"spec.external.tls.clientCertificateSecretRef: cannot be shown to a MariaDB"},
		},
		"a MongoDB that is flushed by the system": {
			spec: ofExisting(", durability: OSCache"),
			want: []string{`spec.external.durability: supported values: "None", "Memory", "Synced", "Majority"`},
		},
		"a MariaDB of no durability": {
			spec: ofExisting(", product: MariaDB, durability: None"),
			want: []string{`spec.external.durability: supported values: "Memory", "OSCache", "Synced"`},
		},
		"a majority of MariaDBs": {
			spec: ofExisting(", product: MariaDB, durability: Majority"),
			want: []string{`spec.external.durability: supported values: "Memory", "OSCache", "Synced"`},
		},
		"durability of a FerretDB": {
			spec: ofExisting(", product: FerretDB, durability: Synced"),
			want: []string{"spec.external.durability: cannot be said of a FerretDB"},
		},
	})
}

// TestValidateMembers has what the schema refuses, and a patch of a suite can still make of a target.
func TestValidateMembers(t *testing.T) {
	const one = "exactly one of mongodb, mariadb, ferretdb and external must be set"
	validateTargets(t, map[string]testCase{
		"no target at all": {spec: `{}`, want: []string{"spec: " + one}},
		"two products": {
			spec: `{mongodb: {version: "6.0"}, mariadb: {version: "10.11"}}`, want: []string{"spec: " + one},
		},
		"a product beside an existing database": {
			spec: `{ferretdb: {version: 1.24.0}, external: {uriSecretRef: {name: a, key: b}}}`, want: []string{"spec: " + one},
		},
		"two shapes of a MongoDB": {
			spec: ofVersion("6.0.5", ", replicaSet: {}, sharded: {}"),
			want: []string{"spec.mongodb: at most one of standalone, replicaSet and sharded"},
		},
		"a standalone that is a set": {
			spec: ofVersion("6.0.5", ", standalone: {}, replicaSet: {}"),
			want: []string{"spec.mongodb: at most one of standalone, replicaSet and sharded"},
		},
		"two storages": {
			spec: ofMariaDB(", storage: {emptyDir: {}, volumeClaimTemplate: {}}"),
			want: []string{"spec.mariadb.storage: at most one of volumeClaimTemplate and emptyDir"},
		},
	})
}
