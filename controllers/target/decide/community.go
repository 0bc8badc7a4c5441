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
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// CommunityKind is what the MongoDB Community Operator deploys a replica set by.
var CommunityKind = schema.GroupVersionKind{
	Group: "mongodbcommunity.mongodb.com", Version: "v1", Kind: "MongoDBCommunity",
}

const (
	// communityContainer and communityVolume are what that operator calls the container of mongod and its data, and
	// communityLogs its logs, on a volume of their own.
	communityContainer = "mongod"
	communityVolume    = "data-volume"
	communityLogs      = "logs-volume"
	// communityURIKey is the key of a user's Secret that holds the connection string with all members.
	communityURIKey = "connectionString.standard"
	// communityObserver is the role of the user that looks at the servers, besides clusterMonitor: sizes on disk are those
	// of the last checkpoint, so that one is asked for before they are read.
	communityObserver = "mongobenchObserver"
)

// ByCommunity says whether the MongoDB Community Operator deploys a target.
func ByCommunity(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	mongoDB := ptr.Deref(spec.MongoDB, benchv1alpha1.MongoDBTarget{})
	return ptr.Deref(mongoDB.Provider, "") == benchv1alpha1.ProviderMongoDBCommunity
}

// communityObjects are the replica set as that operator is asked for it, and its users' passwords. It reads those
// itself, and their Secrets have to be there first.
func communityObjects(o Observation) ([]desired.Object, error) {
	if o.Community.KindMissing {
		return nil, nil
	}
	made, err := community(o.Target, o.Settings.Pods(o.Target.Spec.Pods()))
	if err != nil {
		return nil, err
	}
	var all []desired.Object
	for _, user := range communityLogins(o.Target, o.Candidate) {
		if !MakesSecrets(&o) {
			break
		}
		all = append(all, secret(o, user.secret, map[string][]byte{
			naming.UsernameKey: []byte(user.name), naming.PasswordKey: user.password,
		}))
	}
	return append(all, withClaimsOf(o.Community.Object, made)), nil
}

// communityClaimsPath is where a MongoDBCommunity has the claims of its members.
var communityClaimsPath = []string{"spec", "statefulSet", "spec", "volumeClaimTemplates"}

// withClaimsOf keeps the claims that a replica set was made with: a StatefulSet takes no others.
func withClaimsOf(found, made *unstructured.Unstructured) *unstructured.Unstructured {
	if found == nil {
		return made
	}
	claims, is, _ := unstructured.NestedSlice(found.Object, communityClaimsPath...)
	if is {
		_ = unstructured.SetNestedSlice(made.Object, claims, communityClaimsPath...)
	}
	return made
}

// CommunityClaims are the names of the members' claims. That operator leaves them behind, and a replica set of the same
// name would find the data of the one before.
func CommunityClaims(t *benchv1alpha1.BenchmarkTarget) []string {
	members := memberCount(spec.NormaliseTarget(t.Spec))
	names := make([]string, 0, 2*members)
	for i := range members {
		names = append(names, fmt.Sprintf("%s-%s-%d", communityVolume, t.Name, i),
			fmt.Sprintf("%s-%s-%d", communityLogs, t.Name, i))
	}
	return names
}

// communityLogin is a user of a replica set of the MongoDB Community Operator.
type communityLogin struct {
	name, secret string
	password     []byte
	roles        []any
}

func communityLogins(t *benchv1alpha1.BenchmarkTarget, candidate product.Credentials) []communityLogin {
	databases := t.Spec.Deployment().Databases
	readWrite := make([]any, 0, len(databases))
	for _, database := range databases {
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
func community(
	t *benchv1alpha1.BenchmarkTarget, pods benchv1alpha1.PodSettings,
) (*unstructured.Unstructured, error) {
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
		"version": t.Spec.Version(),
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
			"template": communityTemplate(pods, only),
			"volumeClaimTemplates": []any{
				map[string]any{"metadata": labelled(t, communityVolume), "spec": claim(*only.Volume)},
				map[string]any{"metadata": labelled(t, communityLogs)},
			},
		}},
		"additionalMongodConfig": mongodb.Configuration(t.Spec),
	})
}

// labelled names a claim, which carries the label by which it is known as the target's.
func labelled(t *benchv1alpha1.BenchmarkTarget, name string) map[string]any {
	return map[string]any{"name": name, "labels": naming.ForTarget(t.Name, naming.ComponentMongod)}
}

// communityTemplate is what of a pod's template is added to that of the MongoDB Community Operator. Fields that are not
// there stay as that operator makes them.
func communityTemplate(pods benchv1alpha1.PodSettings, only product.Set) map[string]any {
	spec := map[string]any{
		"containers":   []any{map[string]any{"name": communityContainer, "resources": only.Resources}},
		"nodeSelector": pods.NodeSelector,
	}
	set := func(is bool, field string, value any) {
		if is {
			spec[field] = value
		}
	}
	set(len(pods.Tolerations) > 0, "tolerations", pods.Tolerations)
	set(len(pods.TopologySpreadConstraints) > 0, "topologySpreadConstraints", pods.TopologySpreadConstraints)
	set(len(pods.ImagePullSecrets) > 0, "imagePullSecrets", pods.ImagePullSecrets)
	set(pods.Affinity != nil, "affinity", pods.Affinity)
	set(pods.PriorityClassName != nil, "priorityClassName", pods.PriorityClassName)
	set(pods.RuntimeClassName != nil, "runtimeClassName", pods.RuntimeClassName)
	return map[string]any{
		"metadata": map[string]any{"labels": pods.Labels, "annotations": pods.Annotations}, "spec": spec,
	}
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
			"spec.mongodb.provider is %s, and the cluster knows no kind %s; install the MongoDB Community Operator, or use "+
				"provider %s",
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
