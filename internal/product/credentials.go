package product

import (
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Names of a target's users.
const (
	AdminUser    = "root"
	LoadUser     = "mongobench"
	ObserverUser = "mongobench-observer"
	ActionUser   = "mongobench-action"
)

// Credentials are what the Secrets of a target hold.
type Credentials struct {
	Keyfile          []byte
	AdminPassword    []byte
	LoadPassword     []byte
	ObserverPassword []byte
	ActionPassword   []byte
	// HandlerSocketSecret is what clients of HandlerSocket send first.
	HandlerSocketSecret []byte
	// TLS is empty where it is not needed.
	TLS KeyPair
}

// KeyPair is a certificate with its key and the authority that signed it, all in PEM.
type KeyPair struct {
	Authority   []byte
	Certificate []byte
	Key         []byte
}

// Login is the Secret of a user.
func Login(secret, user string, password []byte) Secret {
	return Secret{Name: secret, Data: map[string][]byte{
		naming.UsernameKey: []byte(user), naming.PasswordKey: password,
	}}
}

// WithoutUsers says whether the members know no authentication.
func WithoutUsers(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return spec.Security != nil && ptr.Deref(spec.Security.Authentication, "") == benchv1alpha1.Disabled
}

// TLSMode says whether connections to the members are encrypted.
func TLSMode(spec benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.TLSMode {
	if spec.Security == nil || spec.Security.TLS == nil || spec.Security.TLS.Mode == nil {
		return benchv1alpha1.TLSOff
	}
	return *spec.Security.TLS.Mode
}

// Encrypted says whether connections to the members may be encrypted.
func Encrypted(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return TLSMode(spec) != benchv1alpha1.TLSOff
}
