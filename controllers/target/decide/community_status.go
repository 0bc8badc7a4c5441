package decide

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

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
