package load

import (
	"path"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// access is what load pods need to reach the target, and nothing else: the arguments that tell the load generator where
// it is, how to log in, whether others may measure in the database too, and whether it may take one that holds
// something else, which a deployment of the operator's own is there for; and the plan and the Secrets as files.
func (p Pods) access() (arguments []string, files product.Files) {
	files.ConfigMap("plan", naming.PlanConfigMap(p.Run.Name, p.Hash), naming.PlanPath, nil)
	way := way{files: &files}
	if named := p.Plan.Files(); len(named) > 0 {
		mountFiles(&files, named)
		way.arguments = append(way.arguments, "--files", naming.FilesPath)
	}
	way.to(p.Target)
	way.secret(p.Target.Status.Connection.ObserverCredentialsSecretName, "observer", "observer-credentials",
		naming.ObserverPath)
	if p.Plan.NeedsCommands() {
		way.secret(p.Target.Status.Connection.ActionCredentialsSecretName, "action", "action-credentials",
			naming.ActionPath)
	}
	way.authenticity(p.Target)
	existing := takesExisting(p.Target)
	if p.Baseline != nil {
		other := way
		other.arguments, other.prefix, other.below = nil, "baseline-", naming.BaselinePath
		other.to(p.Baseline)
		other.secret(p.Baseline.Status.Connection.ObserverCredentialsSecretName, "observer", "observer-credentials",
			naming.ObserverPath)
		other.authenticity(p.Baseline)
		way.arguments = append(way.arguments, other.arguments...)
		existing = existing && takesExisting(p.Baseline)
	}
	if spec.SharesDatabase(p.Run.Spec) {
		way.arguments = append(way.arguments, "--share-database")
	}
	if existing {
		way.arguments = append(way.arguments, "--allow-existing")
	}
	way.arguments = append(way.arguments, p.through()...)
	way.arguments = append(way.arguments, p.outlets(&files)...)
	return way.arguments, files
}

// mountFiles mounts each ConfigMap and volume that the files are in, once.
func mountFiles(files *product.Files, named []planv1alpha1.File) {
	mounted := map[string]bool{}
	for _, file := range named {
		folder := file.Folder()
		if mounted[folder] {
			continue
		}
		mounted[folder] = true
		volume, at := naming.FilesVolume(folder), path.Join(naming.FilesPath, folder)
		if file.ConfigMap != "" {
			files.ConfigMap(volume, file.ConfigMap, at, nil)
		} else {
			files.Claim(volume, file.Claim, at)
		}
	}
}

// takesExisting says whether a database of the target may be taken that holds something else.
func takesExisting(target *benchv1alpha1.BenchmarkTarget) bool {
	external := target.Spec.External
	return external == nil || ptr.Deref(external.AllowExisting, false)
}

// way is how load pods reach one target: arguments, and Secrets as files.
type way struct {
	arguments []string
	files     *product.Files
	// prefix is that of the flags and volumes, and below the folder in place of the usual one; both are empty for the
	// run's own target.
	prefix, below string
}

// to tells where a target is, and how to log in.
func (w *way) to(target *benchv1alpha1.BenchmarkTarget) {
	connection := target.Status.Connection
	if connection.URI != nil {
		w.arguments = append(w.arguments, "--"+w.prefix+"uri", *connection.URI)
	}
	for _, shard := range connection.ShardURIs {
		w.arguments = append(w.arguments, "--"+w.prefix+"uri", shard)
	}
	if from := connection.URISecretRef; from != nil {
		w.secret(&from.Name, "uri", "uri-file", naming.URIPath, from.Key)
	}
	w.secret(connection.CredentialsSecretName, "credentials", "credentials", naming.CredentialsPath)
}

// authenticity tells by what servers and load pods know each other.
func (w *way) authenticity(target *benchv1alpha1.BenchmarkTarget) {
	connection := target.Status.Connection
	w.secret(connection.CASecretName, "ca", "tls-ca-file", naming.CAPath, naming.CAKey)
	if shown := connection.ClientCertificateSecretName; shown != nil {
		folder := w.folder(naming.ClientPath)
		w.files.Secret(w.prefix+"client", *shown, folder, corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
		w.arguments = append(w.arguments, "--"+w.prefix+"tls-client-certificate", folder)
	}
}

// secret mounts a Secret, if there is one, and names the folder, or the one key in it, by a flag.
func (w *way) secret(secret *string, volume, flag string, folderAndKey ...string) {
	if secret == nil {
		return
	}
	folder := w.folder(folderAndKey[0])
	w.files.Secret(w.prefix+volume, *secret, folder, folderAndKey[1:]...)
	w.arguments = append(w.arguments, "--"+w.prefix+flag, path.Join(append([]string{folder}, folderAndKey[1:]...)...))
}

// folder is where the files of a kind are.
func (w *way) folder(usual string) string {
	if w.below == "" {
		return usual
	}
	return path.Join(w.below, path.Base(usual))
}
