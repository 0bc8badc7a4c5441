package product

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Product is a database that the operator can deploy and measure. Specifications that it is asked about are of its
// kind, and have every default (internal/spec, NormaliseTarget); all but ValidateRun are asked only about targets that
// the operator deploys.
type Product interface {
	// Traits are what is the same in all targets of the product.
	Traits() Traits
	// Normalise fills in the defaults of the product's own settings.
	Normalise(target *benchv1alpha1.BenchmarkTargetSpec)
	// DefaultClient is what operations on a target are sent by where a run does not say.
	DefaultClient(target benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.Client
	// ValidateTarget finds what is wrong with a target, besides what is checked for every product.
	ValidateTarget(target Target) field.ErrorList
	// ValidateRun finds what the target of a run cannot do.
	ValidateRun(run Run) field.ErrorList
	// Sets are the groups of pods that a target consists of, in the order in which they are reported.
	Sets(spec benchv1alpha1.BenchmarkTargetSpec) []Set
	// Ports are what the members serve.
	Ports(spec benchv1alpha1.BenchmarkTargetSpec) []Port
	// Secrets are the credentials of a target, made of fresh random ones.
	Secrets(t *benchv1alpha1.BenchmarkTarget, fresh Credentials) []Secret
	// Pod is what makes a member's pod run the product. Volumes and mounts of the data are in it; where it is placed, and
	// what all members have in common, is not.
	Pod(m Member) corev1.PodSpec
	// Connection says how a load generator reaches the target.
	Connection(t *benchv1alpha1.BenchmarkTarget) benchv1alpha1.TargetConnection
}

// Target is a target that is to be deployed.
type Target struct {
	// Spec is as declared, Normal has every default.
	Spec   *benchv1alpha1.BenchmarkTargetSpec
	Normal benchv1alpha1.BenchmarkTargetSpec
	// Path is that of the member for the product.
	Path *field.Path
}

// Run is a run that is to be done to a target.
type Run struct {
	// Spec has its preset written out, and every default.
	Spec   *benchv1alpha1.BenchmarkRunSpec
	Target *benchv1alpha1.BenchmarkTargetSpec
	Path   *field.Path
	// Collection and Operation compile one of the Spec's.
	Collection func(benchv1alpha1.Collection) planv1.Collection
	Operation  func(benchv1alpha1.Operation) planv1.Operation
}

// Traits are what is the same in all targets of a product.
type Traits struct {
	Product benchv1alpha1.Product
	// Program is the server's program. Its container, and the flag of the manager for the image repository, are named by
	// it.
	Program string
	// ImageRepository is where images come from unless the manager is told otherwise.
	ImageRepository string
	// Component labels what belongs to the members together.
	Component naming.Component
	// Clients that the load generator may use.
	Clients []benchv1alpha1.Client
	// PreparesItself says that a member's own pod makes the users: the topology Job only looks at the server, once it
	// works.
	PreparesItself bool
	// MembersTalk says that members reach each other, and look each other's names up.
	MembersTalk bool
	// Reported are names that servers of the product have in reports besides its kind.
	Reported []string
	// FlushesBySettings says that settings of the server decide what an acknowledged write has survived.
	FlushesBySettings bool
	// Concerns says that read and write concerns, and durability, are asked for with each operation.
	Concerns bool
	// Actions says that steps may act on the servers.
	Actions bool
}

// Port is one that all members of a target serve.
type Port struct {
	// Name in the Service, and Short in the container, where it may have 15 characters.
	Name, Short string
	Number      int32
}

// Secret is one that a target owns.
type Secret struct {
	Name string
	Data map[string][]byte
}

// Member is a pod that is to be made.
type Member struct {
	Target *benchv1alpha1.BenchmarkTarget
	Set    Set
	Images Images
	// IPv6 says that pods of the cluster have IPv6 addresses.
	IPv6 bool
}

// Images are where images come from.
type Images struct {
	// Loadgen is the image of the load generator.
	Loadgen string
	// Repositories are those of the products; the version of a target is the tag.
	Repositories map[benchv1alpha1.Product]string
}

// Server is the image of a target's server.
func (i Images) Server(spec benchv1alpha1.BenchmarkTargetSpec) string {
	if deployment := spec.Deployment(); deployment != nil && deployment.Image != nil {
		return *deployment.Image
	}
	return i.Repositories[spec.Product()] + ":" + spec.Version()
}

// Findings collects what is wrong with a target or a run.
type Findings struct{ field.ErrorList }

// Refuse adds an error about one field if that is wrong.
func (f *Findings) Refuse(wrong bool, path *field.Path, value any, why string, details ...any) {
	if wrong {
		f.Add(field.Invalid(path, value, fmt.Sprintf(why, details...)))
	}
}

// Forbid adds an error about a field that must be left out if that is wrong.
func (f *Findings) Forbid(wrong bool, path *field.Path, why string, details ...any) {
	if wrong {
		f.Add(field.Forbidden(path, fmt.Sprintf(why, details...)))
	}
}

// WantKnown adds an error about a name that is not among those that this version of the operator knows. The API takes
// any name, so that only the operator has to change for another one.
func WantKnown[T ~string](f *Findings, name *T, path *field.Path, known ...T) {
	if name != nil && !slices.Contains(known, *name) {
		f.Add(field.NotSupported(path, *name, known))
	}
}

// WantCompressor wants one that is known.
func WantCompressor(f *Findings, name *benchv1alpha1.Compressor, path *field.Path) {
	WantKnown(f, name, path, benchv1alpha1.CompressorNone, benchv1alpha1.CompressorSnappy, benchv1alpha1.CompressorZlib,
		benchv1alpha1.CompressorZstd)
}

// Add adds errors.
func (f *Findings) Add(errs ...*field.Error) {
	f.ErrorList = append(f.ErrorList, errs...)
}

// EachOperation calls a function with the path of each operation, its step and its index in the step. Steps that send
// again what was lost are refused, and why.
func (f *Findings) EachOperation(run Run, neverRetried string, each func(path *field.Path, step, index int)) {
	for i, step := range run.Spec.Workload.Steps {
		path := run.Path.Child("workload", "steps").Index(i)
		f.Refuse(*step.Retry == benchv1alpha1.RetryOnce, path.Child("retry"), *step.Retry, "%s", neverRetried)
		for k := range step.Operations {
			each(path.Child("operations").Index(k), i, k)
		}
	}
}

// Default fills in a field that is unset.
func Default[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// Section is a group of settings, which is made where it is unset.
func Section[T any](group **T) *T {
	if *group == nil {
		*group = new(T)
	}
	return *group
}

// Surroundings fills in what every product has: where members run and with what, who reaches them, which databases
// their user may write, and what they keep their data on.
func Surroundings(target *benchv1alpha1.Deployment) {
	Default(&target.MemberRestarts, benchv1alpha1.MemberRestartsFail)
	Default(&target.ProvisioningSeconds, benchv1alpha1.DefaultProvisioningSeconds)
	if len(target.Databases) == 0 {
		target.Databases = []string{benchv1alpha1.DefaultDatabase}
	}
	Resources(&target.Resources, benchv1alpha1.DefaultMemberResources)
	placement := Section(&target.Placement)
	Default(&placement.Spread, benchv1alpha1.SpreadPreferred)
	Default(&placement.Pinning, benchv1alpha1.PinningNone)
	Section(&placement.ReservedCPUs)
	security := Section(&target.Security)
	Default(&security.Authentication, benchv1alpha1.Enabled)
	Default(&security.NetworkPolicy, benchv1alpha1.Enabled)
	tls := Section(&security.TLS)
	Default(&tls.Mode, benchv1alpha1.TLSDisabled)
	if tls.IssuerRef != nil {
		Default(&tls.IssuerRef.Kind, benchv1alpha1.IssuerKindIssuer)
	}
	storage(Section(&target.Storage))
}

func storage(storage *benchv1alpha1.StorageSpec) {
	if storage.EmptyDir != nil {
		Default(&storage.EmptyDir.SizeLimit, benchv1alpha1.DefaultStorageSize.DeepCopy())
		return
	}
	claim := &Section(&storage.VolumeClaimTemplate).Spec
	if len(claim.AccessModes) == 0 {
		claim.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	}
	requests := corev1.ResourceList{corev1.ResourceStorage: benchv1alpha1.DefaultStorageSize.DeepCopy()}
	maps.Copy(requests, claim.Resources.Requests)
	claim.Resources.Requests = requests
}

// Resources fills in limits, and requests that equal them, as an API server does for a pod.
func Resources(group **corev1.ResourceRequirements, defaults corev1.ResourceList) {
	resources := Section(group)
	limits := defaults.DeepCopy()
	maps.Copy(limits, resources.Limits)
	requests := limits.DeepCopy()
	maps.Copy(requests, resources.Requests)
	resources.Limits, resources.Requests = limits, requests
}

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
	return ptr.Deref(security(spec).Authentication, "") == benchv1alpha1.Disabled
}

// TLSMode says whether connections to the members are encrypted.
func TLSMode(spec benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.TLSMode {
	if tls := security(spec).TLS; tls != nil && tls.Mode != nil {
		return *tls.Mode
	}
	return benchv1alpha1.TLSDisabled
}

func security(spec benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.SecuritySpec {
	deployment := ptr.Deref(spec.Deployment(), benchv1alpha1.Deployment{})
	return ptr.Deref(deployment.Security, benchv1alpha1.SecuritySpec{})
}

// Encrypted says whether connections to the members may be encrypted.
func Encrypted(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return TLSMode(spec) != benchv1alpha1.TLSDisabled
}
