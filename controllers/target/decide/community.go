package decide

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/product/mongodb"
)

// CommunityKind is what the MongoDB Community Operator deploys a replica set by.
var CommunityKind = schema.GroupVersionKind{
	Group: "mongodbcommunity.mongodb.com", Version: "v1", Kind: "MongoDBCommunity",
}

const (
	// communityContainer and communityVolume are what that operator calls the container of mongod and its data.
	communityContainer = "mongod"
	communityVolume    = "data-volume"
	// communityURIKey is the key of a user's Secret that holds the connection string with all members.
	communityURIKey = "connectionString.standard"
	// communityObserver is the role of the user that looks at the servers, besides clusterMonitor: sizes on disk are those
	// of the last checkpoint, so that one is asked for before they are read.
	communityObserver = "mongobenchObserver"
)

// ByCommunity says whether the MongoDB Community Operator deploys a target.
func ByCommunity(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return ptr.Deref(spec.Provider, "") == benchv1alpha1.ProviderMongoDBCommunity
}

// communityObjects are the replica set as that operator is asked for it, and its users' passwords. It reads those
// itself, and their Secrets have to be there first.
func communityObjects(o Observation) ([]desired.Object, error) {
	if o.Community.KindMissing {
		return nil, nil
	}
	made, err := community(o.Target)
	if err != nil {
		return nil, err
	}
	var all []desired.Object
	for _, user := range communityLogins(o.Target, o.Candidate) {
		all = append(all, secret(o, user.secret, map[string][]byte{
			naming.UsernameKey: []byte(user.name), naming.PasswordKey: user.password,
		}))
	}
	return append(all, made), nil
}

// communityLogin is a user of a replica set of the MongoDB Community Operator.
type communityLogin struct {
	name, secret string
	password     []byte
	roles        []any
}

func communityLogins(t *benchv1alpha1.BenchmarkTarget, candidate product.Credentials) []communityLogin {
	readWrite := make([]any, 0, len(t.Spec.Databases))
	for _, database := range t.Spec.Databases {
		readWrite = append(readWrite, communityRole("readWrite", database))
	}
	onAdmin := func(name string) any { return communityRole(name, naming.LoadDatabase) }
	return []communityLogin{
		{product.AdminUser, naming.AdminSecret(t.Name), candidate.AdminPassword, []any{onAdmin("root")}},
		{product.LoadUser, naming.LoadSecret(t.Name), candidate.LoadPassword, readWrite},
		{
			product.ObserverUser, naming.ObserverSecret(t.Name), candidate.ObserverPassword,
			[]any{onAdmin("clusterMonitor"), onAdmin(communityObserver)},
		},
		{product.ActionUser, naming.ActionSecret(t.Name), candidate.ActionPassword, []any{onAdmin("clusterManager")}},
	}
}

func communityRole(name, database string) any { return map[string]any{"name": name, "db": database} }

// community asks the MongoDB Community Operator for the replica set. That operator's own Go types would say much more:
// they write every field that they know, empty as it is, and an apply would then own all of them.
func community(t *benchv1alpha1.BenchmarkTarget) (*unstructured.Unstructured, error) {
	logins := communityLogins(t, product.Credentials{})
	users := make([]any, 0, len(logins))
	for _, login := range logins {
		users = append(users, map[string]any{
			"name": login.name, "db": naming.LoadDatabase, "roles": login.roles,
			"passwordSecretRef":          map[string]any{"name": login.secret, "key": naming.PasswordKey},
			"scramCredentialsSecretName": login.secret,
			"connectionStringSecretName": communityURISecret(t.Name, login.name),
		})
	}
	only := catalogue.Of(t.Spec).Sets(t.Spec)[0]
	return provided(t, CommunityKind, t.Name, map[string]any{
		"members": memberCount(t.Spec),
		"type":    benchv1alpha1.TopologyReplicaSet,
		"version": ptr.Deref(t.Spec.Version, ""),
		"security": map[string]any{
			"authentication": map[string]any{"modes": []string{"SCRAM"}},
			"roles": []any{map[string]any{
				"role": communityObserver, "db": naming.LoadDatabase, "roles": []any{},
				"privileges": []any{map[string]any{
					"resource": map[string]any{"cluster": true}, "actions": []string{"fsync"},
				}},
			}},
		},
		"users": users,
		"statefulSet": map[string]any{"spec": map[string]any{
			"template": map[string]any{"spec": map[string]any{
				"containers": []any{map[string]any{"name": communityContainer, "resources": only.Resources}},
			}},
			"volumeClaimTemplates": []any{map[string]any{
				"metadata": map[string]any{"name": communityVolume}, "spec": claim(t.Spec, only.Volume.Size),
			}},
		}},
		"additionalMongodConfig": mongodb.Configuration(t.Spec),
	})
}

// communityURISecret is the Secret that the MongoDB Community Operator makes for a user. It is named by us, so that no
// other target has the same.
func communityURISecret(target, user string) string {
	return target + "-" + naming.LoadDatabase + "-" + user
}

// CommunityURI is where the load user's connection string will be.
func CommunityURI(target string) benchv1alpha1.SecretKeyReference {
	return benchv1alpha1.SecretKeyReference{Name: communityURISecret(target, product.LoadUser), Key: communityURIKey}
}

// lookForCommunity is how often a replica set that is ready is looked at; while it is not, it is looked for as often as
// a Secret.
const lookForCommunity = 10 * time.Second

// Phases of a MongoDBCommunity, from its API.
const (
	communityRunning = "Running"
	communityFailed  = "Failed"
)

// communityStatus is what we read of a MongoDBCommunity's status.
type communityStatus struct {
	Phase   string `json:"phase"`
	Message string `json:"message"`
}

// awaitCommunity is what a target waits for that the MongoDB Community Operator deploys. A phase that is Failed is not
// the end: that operator tries again.
func awaitCommunity(o Observation) (verdict, bool) {
	if !ByCommunity(o.Target.Spec) || o.ApplyFault.Reason != "" {
		return verdict{}, false
	}
	found := statusOf[communityStatus](o.Community.Object)
	what := fmt.Sprintf("%s %s", CommunityKind.Kind, o.Target.Name)
	pending := func(said string) (verdict, bool) {
		return verdict{reason: benchv1alpha1.ReasonProviderPending, message: what + ": " + said}, true
	}
	switch phase := found.Phase; {
	case o.Community.KindMissing:
		return verdict{reason: benchv1alpha1.ReasonProviderMissing, message: fmt.Sprintf(
			"spec.provider is %s, and the cluster knows no kind %s; install the MongoDB Community Operator, or use provider %s",
			benchv1alpha1.ProviderMongoDBCommunity, CommunityKind.GroupKind(), benchv1alpha1.ProviderOperator)}, true
	case phase == "":
		return pending("the MongoDB Community Operator has not said anything yet")
	case phase == communityFailed:
		return verdict{
			reason: benchv1alpha1.ReasonProviderFailed, message: fmt.Sprintf("%s: %s", what, found.Message),
		}, true
	case phase != communityRunning:
		return pending(fmt.Sprintf("phase %s: %s", phase, found.Message))
	case o.Community.Secret != SecretFound:
		ref := CommunityURI(o.Target.Name)
		return pending(fmt.Sprintf("Secret %s has no key %s yet", ref.Name, ref.Key))
	}
	return verdict{}, false
}

// judgeCommunity judges a target that was ready. Its members are that operator's to look after.
func judgeCommunity(o Observation) verdict {
	v, waits := awaitCommunity(o)
	if !waits {
		v = verdict{ready: true, message: readyMessage(o.Target)}
	}
	v.again = lookForCommunity
	return v
}

// waitsForCommunity says whether the replica set is not there to be looked at yet.
func waitsForCommunity(o Observation) bool {
	_, waits := awaitCommunity(o)
	return waits
}
