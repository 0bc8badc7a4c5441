package decide

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// Observation is all that a decision depends on.
type Observation struct {
	Now      time.Time
	Settings settings.Settings
	Target   *benchv1alpha1.BenchmarkTarget
	// Turn is what the queue says of the target.
	Turn queue.Turn
	// Candidate are fresh random credentials, when MakesSecrets says so.
	Candidate product.Credentials

	// What the target owns; nil is absent.
	TopologyJob    *batchv1.Job
	TopologyResult *corev1.ConfigMap
	StatefulSets   []*appsv1.StatefulSet
	// Users are the names of the runs that use the target, in order.
	Users []string
	// CutOff are the names of the members' pods that runs have cut off.
	CutOff []string
	// Certificate is what was found of a certificate that cert-manager is to issue.
	Certificate Provided

	// Community is what was found of a replica set of the MongoDB Community Operator.
	Community Provided

	// Room is what the nodes have, read only before anything was made; nil is not known.
	Room *Room

	MemberPods   []corev1.Pod
	TopologyPods []corev1.Pod
	// FailedCreates are the events of the StatefulSets and the Job, read only when their pods are missing for a while.
	FailedCreates []corev1.Event
	// External are the Secrets that an external target refers to, the connection string's first, and what was found of
	// each.
	External []ExternalSecret
	// ApplyFault is why the API server refused what this very reconcile desired; without a reason it did not.
	ApplyFault podfault.Fault
}

// SecretState is what was found of a Secret that is not the operator's.
type SecretState string

// The states of such a Secret.
const (
	SecretFound      SecretState = "Found"
	SecretMissing    SecretState = "Missing"
	SecretKeyMissing SecretState = "KeyMissing"
)

// Decision is what should be.
type Decision struct {
	// Desired is everything that the target owns; what is not in it is removed.
	Desired []desired.Object
	Status  benchv1alpha1.BenchmarkTargetStatus
	// Wait is the time until the clock alone may change the decision. 0: never.
	Wait time.Duration
	// Trouble is why the desired objects could not be made.
	Trouble error
}

// maxUsers is how many runs the status of a target names.
const maxUsers = 16

// Decide says what should be. Who uses the target is told whatever becomes of it.
func Decide(o Observation) Decision {
	decision := decide(o)
	decision.Status.Product, decision.Status.Topology = o.Target.Spec.Product(), o.Target.Spec.Topology()
	decision.Status.InUseBy = o.Users[:min(len(o.Users), maxUsers)]
	return decision
}

// decide says what should be. What was accepted is decided on with every default filled in.
func decide(o Observation) Decision {
	status, accepted := accept(o)
	if !accepted {
		return Decision{Status: status}
	}
	if AwaitsTurn(o) {
		return awaitTurn(o, status)
	}
	if status.ProvisioningStartTime == nil {
		status.ProvisioningStartTime = seconds(o.Now)
	}
	o = normal(o)
	var wanted []desired.Object
	if !heldBack(o, status) {
		var err error
		if wanted, err = objects(o); err != nil {
			return Decision{Status: status, Trouble: err}
		}
	}
	status, wait := progress(o, status)
	return Decision{Desired: wanted, Status: status, Wait: wait}
}

// normal is an observation whose target has every default filled in.
func normal(o Observation) Observation {
	target := *o.Target
	target.Spec = spec.NormaliseTarget(o.Target.Spec)
	o.Target = &target
	return o
}

// accept checks the specification once. It cannot change, and what was accepted is not judged again by the stricter
// checks of a later version, which would take down a target that is in use. One of which nothing is known any more, as
// after a downgrade, cannot be gone on with.
func accept(o Observation) (benchv1alpha1.BenchmarkTargetStatus, bool) {
	status := *o.Target.Status.DeepCopy()
	conditions := condition.In(&status.Conditions, o.Target.Generation, o.Now)
	if condition.IsTrue(status.Conditions, benchv1alpha1.TargetAccepted) && o.Target.Spec.Member() != "" {
		return status, true
	}
	errs := append(validation.ValidateTarget(o.Target),
		o.Settings.AllowedImages.RefuseTarget(o.Target.Spec, field.NewPath("spec"))...)
	errs = append(errs, o.Settings.Gates.RefuseTarget(o.Target.Spec, field.NewPath("spec"))...)
	if len(errs) > 0 {
		message := errs.ToAggregate().Error()
		conditions.False(benchv1alpha1.TargetAccepted, benchv1alpha1.ReasonInvalid, message)
		conditions.False(benchv1alpha1.TargetReady, benchv1alpha1.ReasonNotAccepted, "the specification is invalid")
		conditions.True(benchv1alpha1.TargetStalled, benchv1alpha1.ReasonNotAccepted, message)
		return status, false
	}
	conditions.True(benchv1alpha1.TargetAccepted, benchv1alpha1.ReasonValid, "the specification is valid")
	return status, true
}

// topologyObjects are those of the topology Job. Where what it made was forgotten, the Job and its answer are left out,
// so that they are removed now and made again in the next pass.
func topologyObjects(o Observation, plan *corev1.ConfigMap) []desired.Object {
	t := o.Target
	account := topologyAccount(t)
	if forgotten(o) != "" {
		return append(account, plan)
	}
	job := topologyJob(t, o.Settings, plan.Name)
	return slices.Concat([]desired.Object{plan, topologyResult(t)}, account, []desired.Object{job})
}

func objects(o Observation) ([]desired.Object, error) {
	t := o.Target
	if waitsForSecret(o) {
		return nil, nil
	}
	if waitsForCertificate(o) {
		return certificateObjects(o)
	}
	plan, err := topologyPlan(t)
	if err != nil {
		return nil, fmt.Errorf("making the topology plan: %w", err)
	}
	deployed, err := deployment(o)
	if (waitsForCommunity(o) || waitsForServer(o)) && o.TopologyJob == nil {
		return deployed, err // It cannot be looked at yet.
	}
	return slices.Concat(deployed, topologyObjects(o, plan)), err
}

// deployment is all of a target but what the topology Job needs; nothing for one that is there already.
func deployment(o Observation) ([]desired.Object, error) {
	t := o.Target
	switch {
	case t.Spec.Topology() == benchv1alpha1.TopologyExternal:
		return nil, nil
	case ByCommunity(t.Spec):
		return communityObjects(o)
	}
	deployed, err := securityObjects(o)
	if err != nil {
		return nil, err
	}
	deployed = append(deployed, membersService(t))
	for _, s := range sets(t.Spec) {
		set := statefulSet(t, s, o.Settings)
		asItBegan(set, o.StatefulSets)
		deployed = append(deployed, set)
	}
	return deployed, nil
}

// asItBegan leaves the pods of a set as they were first asked for. An operator of another version, or with another
// image of the load generator, would have it otherwise: two of them would change it in turn for ever, and a member that
// is made again would not be like the others.
func asItBegan(set *appsv1.StatefulSet, observed []*appsv1.StatefulSet) {
	for _, there := range observed {
		if there.Name == set.Name {
			set.Spec.Template = *there.Spec.Template.DeepCopy()
		}
	}
}

// connection says how a load generator reaches the target.
func connection(t *benchv1alpha1.BenchmarkTarget) *benchv1alpha1.TargetConnection {
	switch {
	case ByCommunity(t.Spec):
		return &benchv1alpha1.TargetConnection{
			URISecretRef:                  uriSecret(t),
			ObserverCredentialsSecretName: new(naming.ObserverSecret(t.Name)),
			ActionCredentialsSecretName:   new(naming.ActionSecret(t.Name)),
		}
	case t.Spec.External != nil:
		tls := externalTLS(t.Spec)
		return &benchv1alpha1.TargetConnection{
			URISecretRef: uriSecret(t), CASecretName: nameOf(tls.CASecretRef),
			ClientCertificateSecretName: nameOf(tls.ClientCertificateSecretRef),
		}
	default:
		return new(catalogue.Of(t.Spec).Connection(t))
	}
}

// uriSecret is the Secret that holds a target's connection string; nil where the operator writes the string itself.
func uriSecret(t *benchv1alpha1.BenchmarkTarget) *benchv1alpha1.SecretKeyReference {
	switch {
	case t.Spec.External != nil:
		return t.Spec.External.URISecretRef.DeepCopy()
	case ByCommunity(t.Spec):
		return new(CommunityURI(t.Name))
	default:
		return catalogue.Of(t.Spec).Connection(t).URISecretRef
	}
}

func readyMessage(t *benchv1alpha1.BenchmarkTarget) string {
	name := naming.ReplicaSet
	if ByCommunity(t.Spec) { // Its topology is ReplicaSet.
		name = t.Name
	}
	switch t.Spec.Topology() {
	case benchv1alpha1.TopologyExternal:
		return "the database answers"
	case benchv1alpha1.TopologyStandalone:
		return "the server is ready"
	case benchv1alpha1.TopologySharded:
		return shardedMessage(sets(t.Spec))
	default:
		return fmt.Sprintf("replica set %s of %s is ready", name, membersInWords(t.Spec))
	}
}

// memberCount is the number of members of a target that is one set.
func memberCount(spec benchv1alpha1.BenchmarkTargetSpec) int {
	return catalogue.Of(spec).Sets(spec)[0].Members
}

// membersInWords are the members of a target that is one set.
func membersInWords(spec benchv1alpha1.BenchmarkTargetSpec) string {
	words := fmt.Sprintf("%d members", memberCount(spec))
	if arbiters := spec.MongoDB.ReplicaSet.Arbiters; arbiters != nil && *arbiters > 0 {
		words += " and " + present.Plural(int64(*arbiters), "arbiter")
	}
	return words
}

func shardedMessage(all []product.Set) string {
	holding, router := 0, "the load generator"
	for _, s := range all {
		switch {
		case s.Measured:
			holding++
		case routes(s):
			router = fmt.Sprintf("%d mongos", s.Members)
		}
	}
	of := present.Plural(int64(all[0].Members), "member")
	return fmt.Sprintf("shards: %d, each a replica set of %s, are ready behind %s", holding, of, router)
}

// sets are all that a target consists of, in the order in which they are reported. What others deploy has none.
func sets(spec benchv1alpha1.BenchmarkTargetSpec) []product.Set {
	if spec.Topology() == benchv1alpha1.TopologyExternal || ByCommunity(spec) {
		return nil
	}
	return catalogue.Of(spec).Sets(spec)
}

// preparesItself says whether a target is deployed by its own pods alone, so that the topology Job only looks at it.
func preparesItself(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return spec.Topology() != benchv1alpha1.TopologyExternal && catalogue.Of(spec).Traits().PreparesItself
}

// waitsForServer says whether a server that prepares itself does not work yet, so that it cannot be looked at.
func waitsForServer(o Observation) bool {
	return preparesItself(o.Target.Spec) && len(readyMembers(o)) == 0
}

// routes tells the routers, which keep nothing.
func routes(s product.Set) bool { return s.Volume == nil }
