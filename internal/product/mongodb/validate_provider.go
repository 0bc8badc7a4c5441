package mongodb

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// provider refuses what the MongoDB Community Operator cannot be told by its MongoDBCommunity object, or what would
// make it something else than what it deploys.
func (c check) provider() field.ErrorList {
	if *c.Normal.Provider != benchv1alpha1.ProviderMongoDBCommunity {
		return nil
	}
	const byItself = "cannot be had with provider MongoDBCommunity, which %s; leave it out, or use provider Operator"
	var errs field.ErrorList
	refuse := func(is bool, value any, why string, path ...string) {
		if is {
			errs = append(errs, product.Refused(c.Path.Child(path[0], path[1:]...), value, byItself, why)...)
		}
	}
	medium, tls := *c.Normal.Storage.Medium, *c.Normal.Security.TLS.Mode
	authentication, restarts := *c.Normal.Security.Authentication, *c.Normal.MemberRestarts
	policy := ptr.Deref(ptr.Deref(c.Spec.Security, benchv1alpha1.SecuritySpec{}).NetworkPolicy, "")
	refuse(c.engine != benchv1alpha1.EngineWiredTiger, c.engine, "deploys WiredTiger", "engine", "name")
	refuse(medium != benchv1alpha1.StorageMediumPersistentVolume, medium, "claims volumes", "storage", "medium")
	refuse(c.Spec.Image != nil, ptr.Deref(c.Spec.Image, ""), "has an image of its own", "image")
	refuse(len(c.Spec.Arguments) > 0, len(c.Spec.Arguments), "starts mongod by a configuration; use parameters",
		"arguments")
	refuse(authentication != benchv1alpha1.Enabled, authentication, "always has users", "security", "authentication")
	refuse(tls != benchv1alpha1.TLSOff, tls, "has certificates of its own", "security", "tls", "mode")
	refuse(policy == benchv1alpha1.Enabled, policy,
		"lets everybody reach the members", "security", "networkPolicy")
	refuse(c.Spec.Placement != nil, "placement", "places the members", "placement")
	refuse(restarts != benchv1alpha1.MemberRestartsFail, restarts, "restarts members as it sees fit", "memberRestarts")
	return errs
}
