package decide

import (
	"net"
	"net/url"
	"strconv"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// A MariaDB is one server. Its users are made before it starts (see mariadb_pod.go), so that the topology Job only
// looks at it, by the connection string that load pods are given, once it works.

// deploysMariaDB says whether a target is a MariaDB that is to be deployed, rather than one that is there already.
func deploysMariaDB(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return benchv1alpha1.IsMariaDB(spec) && spec.Topology != benchv1alpha1.TopologyExternal
}

// handlerSocket are the settings of the plugin; nil where it is not asked for.
func handlerSocket(spec benchv1alpha1.BenchmarkTargetSpec) *benchv1alpha1.HandlerSocketSpec {
	return ptr.Deref(spec.MariaDB, benchv1alpha1.MariaDBSpec{}).HandlerSocket
}

// mariaDBSet is the one server of a target.
func mariaDBSet(spec benchv1alpha1.BenchmarkTargetSpec) set {
	return set{
		name: naming.MariaDBSet, component: naming.ComponentMariaDB, members: 1, resources: memberResources(spec),
	}
}

func mariaDBImage(spec benchv1alpha1.BenchmarkTargetSpec, operator settings.Settings) string {
	return ptr.Deref(spec.Image, operator.MariaDBImageRepository+":"+ptr.Deref(spec.Version, ""))
}

// waitsForMariaDB says whether the server has not worked yet, so that nobody can look at it.
func waitsForMariaDB(o Observation) bool {
	return deploysMariaDB(o.Target.Spec) && len(readyMembers(o)) == 0
}

// mariaDBSecrets hold the two users, all that a client needs, and those settings of the server that are secrets. The
// last two are in one Secret, because they have to agree and Secrets are made one by one.
func mariaDBSecrets(o Observation) []desired.Object {
	t := o.Target
	load := map[string][]byte{
		naming.UsernameKey: []byte(loadUser),
		naming.PasswordKey: o.Candidate.LoadPassword,
		naming.URIKey:      []byte(mariaDBConnection(t, o.Candidate)),
	}
	if handlerSocket(t.Spec) != nil {
		load[naming.ServerFileKey] = []byte(mariaDBServerFile(o.Candidate))
	}
	return []desired.Object{
		secret(o, naming.LoadSecret(t.Name), load),
		secret(o, naming.ObserverSecret(t.Name), map[string][]byte{
			naming.UsernameKey: []byte(observerUser), naming.PasswordKey: o.Candidate.ObserverPassword,
		}),
	}
}

// mariaDBConnection is the connection string, which holds passwords.
func mariaDBConnection(t *benchv1alpha1.BenchmarkTarget, fresh Credentials) string {
	options := url.Values{}
	if handlerSocket(t.Spec) != nil {
		options.Set("handlersocketPort", strconv.Itoa(naming.HandlerSocketPort))
		options.Set("handlersocketWritePort", strconv.Itoa(naming.HandlerSocketWritePort))
		options.Set("handlersocketSecret", string(fresh.HandlerSocketSecret))
	}
	uri := url.URL{
		Scheme: "mysql", User: url.UserPassword(loadUser, string(fresh.LoadPassword)), Path: "/",
		Host:     net.JoinHostPort(naming.MariaDBHost(t.Name, t.Namespace), strconv.Itoa(naming.MariaDBPort)),
		RawQuery: options.Encode(),
	}
	return uri.String()
}

// mariaDBObjects are all of a deployed MariaDB but what the topology Job needs.
func mariaDBObjects(o Observation) []desired.Object {
	all := mariaDBSecrets(o)
	// Whoever reaches a port of HandlerSocket can stop it without knowing the secret.
	if behindNetworkPolicy(o.Target.Spec) || handlerSocket(o.Target.Spec) != nil {
		all = append(all, membersNetworkPolicy(o.Target))
	}
	all = append(all, membersService(o.Target))
	for _, s := range sets(o.Target.Spec) {
		all = append(all, statefulSet(o.Target, s, o.Settings))
	}
	return all
}
