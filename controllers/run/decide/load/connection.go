package load

import (
	"path"

	"k8s.io/utils/ptr"

	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// access is what load pods need to reach the target, and nothing else: the arguments that tell the load generator where
// it is, how to log in, and whether it may take a database that holds something else, which a deployment of the
// operator's own is there for; and the plan and the Secrets as files.
func (p Pods) access() (arguments []string, files product.Files) {
	connection := p.Target.Status.Connection
	if connection.URI != nil {
		arguments = append(arguments, "--uri", *connection.URI)
	}
	for _, shard := range connection.ShardURIs {
		arguments = append(arguments, "--uri", shard)
	}
	files.ConfigMap("plan", naming.PlanConfigMap(p.Run.Name, p.Encoded), naming.PlanPath, nil)
	add := func(secret *string, volume, argument string, folderAndKey ...string) {
		if secret != nil {
			files.Secret(volume, *secret, folderAndKey[0], folderAndKey[1:]...)
			arguments = append(arguments, argument, path.Join(folderAndKey...))
		}
	}
	if from := connection.URISecretRef; from != nil {
		add(&from.Name, "uri", "--uri-file", naming.URIPath, from.Key)
	}
	add(connection.CredentialsSecretName, "credentials", "--credentials", naming.CredentialsPath)
	add(connection.ObserverCredentialsSecretName, "observer", "--observer-credentials", naming.ObserverPath)
	if p.Plan.NeedsCommands() {
		add(connection.ActionCredentialsSecretName, "action", "--action-credentials", naming.ActionPath)
	}
	add(connection.CASecretName, "ca", "--tls-ca-file", naming.CAPath, naming.CAKey)
	if external := p.Target.Spec.External; external == nil || ptr.Deref(external.AllowExisting, false) {
		arguments = append(arguments, "--allow-existing")
	}
	return arguments, files
}
