package decide

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
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

// communitySpec is what we say in a MongoDBCommunity. Its own Go types would say much more: they write every field that
// they know, empty as it is, and an apply would then own all of them.
type communitySpec struct {
	Members             int64                `json:"members"`
	Type                string               `json:"type"`
	Version             string               `json:"version"`
	Security            communitySecurity    `json:"security"`
	Users               []communityUser      `json:"users"`
	StatefulSet         communityStatefulSet `json:"statefulSet"`
	MongodConfiguration map[string]any       `json:"additionalMongodConfig"`
}

type communitySecurity struct {
	Authentication communityAuthentication `json:"authentication"`
	Roles          []communityCustomRole   `json:"roles"`
}

type communityAuthentication struct {
	Modes []string `json:"modes"`
}

type communityCustomRole struct {
	Role       string               `json:"role"`
	Database   string               `json:"db"`
	Privileges []communityPrivilege `json:"privileges"`
	Roles      []communityRole      `json:"roles"`
}

type communityPrivilege struct {
	Resource communityResource `json:"resource"`
	Actions  []string          `json:"actions"`
}

type communityResource struct {
	Cluster bool `json:"cluster"`
}

type communityUser struct {
	Name                 string            `json:"name"`
	Database             string            `json:"db"`
	Password             communityPassword `json:"passwordSecretRef"`
	Roles                []communityRole   `json:"roles"`
	ScramSecretName      string            `json:"scramCredentialsSecretName"`
	ConnectionSecretName string            `json:"connectionStringSecretName"`
}

type communityPassword struct {
	Name string `json:"name"`
	Key  string `json:"key"`
}

type communityRole struct {
	Name     string `json:"name"`
	Database string `json:"db"`
}

type communityStatefulSet struct {
	Spec communityStatefulSetSpec `json:"spec"`
}

type communityStatefulSetSpec struct {
	Template communityTemplate `json:"template"`
	Volumes  []communityClaim  `json:"volumeClaimTemplates"`
}

type communityTemplate struct {
	Spec communityPodSpec `json:"spec"`
}

type communityPodSpec struct {
	Containers []communityMember `json:"containers"`
}

type communityMember struct {
	Name      string                      `json:"name"`
	Resources corev1.ResourceRequirements `json:"resources"`
}

type communityClaim struct {
	Metadata communityName                    `json:"metadata"`
	Spec     corev1.PersistentVolumeClaimSpec `json:"spec"`
}

type communityName struct {
	Name string `json:"name"`
}

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
	roles        []communityRole
}

func communityLogins(t *benchv1alpha1.BenchmarkTarget, candidate product.Credentials) []communityLogin {
	readWrite := make([]communityRole, 0, len(t.Spec.Databases))
	for _, database := range t.Spec.Databases {
		readWrite = append(readWrite, communityRole{Name: "readWrite", Database: database})
	}
	onAdmin := func(names ...string) []communityRole {
		roles := make([]communityRole, 0, len(names))
		for _, name := range names {
			roles = append(roles, communityRole{Name: name, Database: naming.LoadDatabase})
		}
		return roles
	}
	return []communityLogin{
		{product.AdminUser, naming.AdminSecret(t.Name), candidate.AdminPassword, onAdmin("root")},
		{product.LoadUser, naming.LoadSecret(t.Name), candidate.LoadPassword, readWrite},
		{
			product.ObserverUser, naming.ObserverSecret(t.Name), candidate.ObserverPassword,
			onAdmin("clusterMonitor", communityObserver),
		},
		{product.ActionUser, naming.ActionSecret(t.Name), candidate.ActionPassword, onAdmin("clusterManager")},
	}
}

// community asks the MongoDB Community Operator for the replica set.
func community(t *benchv1alpha1.BenchmarkTarget) (*unstructured.Unstructured, error) {
	spec := communitySpec{
		Members: int64(memberCount(t.Spec)),
		Type:    string(benchv1alpha1.TopologyReplicaSet),
		Version: ptr.Deref(t.Spec.Version, ""),
		Security: communitySecurity{
			Authentication: communityAuthentication{Modes: []string{"SCRAM"}},
			Roles: []communityCustomRole{{
				Role: communityObserver, Database: naming.LoadDatabase, Roles: []communityRole{},
				Privileges: []communityPrivilege{{
					Resource: communityResource{Cluster: true}, Actions: []string{"fsync"},
				}},
			}},
		},
		StatefulSet:         communityStatefulSet{Spec: communityPods(t.Spec)},
		MongodConfiguration: mongodb.Configuration(t.Spec),
	}
	for _, login := range communityLogins(t, product.Credentials{}) {
		spec.Users = append(spec.Users, communityUser{
			Name: login.name, Database: naming.LoadDatabase, Roles: login.roles,
			Password:             communityPassword{Name: login.secret, Key: naming.PasswordKey},
			ScramSecretName:      login.secret,
			ConnectionSecretName: communityURISecret(t.Name, login.name),
		})
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&spec)
	if err != nil {
		return nil, fmt.Errorf("making a %s: %w", CommunityKind.Kind, err)
	}
	made := &unstructured.Unstructured{Object: map[string]any{"spec": content}}
	made.SetGroupVersionKind(CommunityKind)
	made.SetNamespace(t.Namespace)
	made.SetName(t.Name)
	made.SetLabels(naming.ForTarget(t.Name, naming.ComponentMongod))
	return made, nil
}

func communityPods(spec benchv1alpha1.BenchmarkTargetSpec) communityStatefulSetSpec {
	only := catalogue.Of(spec).Sets(spec)[0]
	claim := corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources: corev1.VolumeResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceStorage: only.Volume.Size},
		},
	}
	if spec.Storage != nil {
		claim.StorageClassName = spec.Storage.StorageClassName
	}
	return communityStatefulSetSpec{
		Template: communityTemplate{Spec: communityPodSpec{
			Containers: []communityMember{{Name: communityContainer, Resources: only.Resources}},
		}},
		Volumes: []communityClaim{{Metadata: communityName{Name: communityVolume}, Spec: claim}},
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

// Community is what was found of a replica set of the MongoDB Community Operator.
type Community struct {
	// KindMissing says that the cluster does not know the kind.
	KindMissing bool
	// Object is nil while there is none.
	Object *unstructured.Unstructured
	// URI is what was found of the Secret with the connection string.
	URI SecretState
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
	Status struct {
		Phase   string `json:"phase"`
		Message string `json:"message"`
	} `json:"status"`
}

// awaitCommunity is what a target waits for that the MongoDB Community Operator deploys. A phase that is Failed is not
// the end: that operator tries again.
func awaitCommunity(o Observation) (verdict, bool) {
	if !ByCommunity(o.Target.Spec) || o.ApplyFault.Reason != "" {
		return verdict{}, false
	}
	var found communityStatus
	if o.Community.Object != nil {
		// What is of another form counts as not said.
		_ = runtime.DefaultUnstructuredConverter.FromUnstructured(o.Community.Object.Object, &found)
	}
	what := fmt.Sprintf("%s %s", CommunityKind.Kind, o.Target.Name)
	pending := func(said string) (verdict, bool) {
		return verdict{reason: benchv1alpha1.ReasonProviderPending, message: what + ": " + said}, true
	}
	switch phase := found.Status.Phase; {
	case o.Community.KindMissing:
		return verdict{reason: benchv1alpha1.ReasonProviderMissing, message: fmt.Sprintf(
			"spec.provider is %s, and the cluster knows no kind %s; install the MongoDB Community Operator, or use provider %s",
			benchv1alpha1.ProviderMongoDBCommunity, CommunityKind.GroupKind(), benchv1alpha1.ProviderOperator)}, true
	case phase == "":
		return pending("the MongoDB Community Operator has not said anything yet")
	case phase == communityFailed:
		return verdict{
			reason: benchv1alpha1.ReasonProviderFailed, message: fmt.Sprintf("%s: %s", what, found.Status.Message),
		}, true
	case phase != communityRunning:
		return pending(fmt.Sprintf("phase %s: %s", phase, found.Status.Message))
	case o.Community.URI != SecretFound:
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
