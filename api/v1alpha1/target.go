package v1alpha1

import (
	"strings"

	"k8s.io/utils/ptr"
)

// Product is the database of the target, empty where the specification names none.
func (s *BenchmarkTargetSpec) Product() Product {
	switch {
	case s.MongoDB != nil:
		return ProductMongoDB
	case s.MariaDB != nil:
		return ProductMariaDB
	case s.FerretDB != nil:
		return ProductFerretDB
	case s.External != nil && s.External.Product != nil:
		return *s.External.Product
	case s.External != nil:
		return DefaultProduct
	default:
		return ""
	}
}

// Member is the name of the member that declares the target, as it is written.
func (s *BenchmarkTargetSpec) Member() string {
	if s.External != nil {
		return "external"
	}
	return strings.ToLower(string(s.Product()))
}

// Topology is the shape of the target.
func (s *BenchmarkTargetSpec) Topology() Topology {
	switch {
	case s.External != nil:
		return TopologyExternal
	case s.MongoDB != nil && s.MongoDB.ReplicaSet != nil:
		return TopologyReplicaSet
	case s.MongoDB != nil && s.MongoDB.Sharded != nil:
		return TopologySharded
	default:
		return TopologyStandalone
	}
}

// Deployment has the settings that deployments of all products have. It is nil for a database that exists already.
func (s *BenchmarkTargetSpec) Deployment() *Deployment {
	switch {
	case s.MongoDB != nil:
		return &s.MongoDB.Deployment
	case s.MariaDB != nil:
		return &s.MariaDB.Deployment
	case s.FerretDB != nil:
		return &s.FerretDB.Deployment
	default:
		return nil
	}
}

// Version is that of the server to deploy, empty for a database that exists already.
func (s *BenchmarkTargetSpec) Version() string {
	return ptr.Deref(s.Deployment(), Deployment{}).Version
}

// Durability is what an acknowledged write is to survive, nil where it is not said.
func (s *BenchmarkTargetSpec) Durability() *Durability {
	switch {
	case s.MongoDB != nil:
		return s.MongoDB.Durability
	case s.MariaDB != nil:
		return s.MariaDB.Durability
	case s.External != nil:
		return s.External.Durability
	default:
		return nil
	}
}

// Pods are the settings of the target's pods, nil where nothing is said.
func (s *BenchmarkTargetSpec) Pods() *PodSettings {
	if field := s.PodsField(); field != nil {
		return *field
	}
	return nil
}

// PodsField is where the settings of the target's pods are; nil where no member is set.
func (s *BenchmarkTargetSpec) PodsField() **PodSettings {
	if s.External != nil {
		return &s.External.PodSettings
	}
	if deployment := s.Deployment(); deployment != nil {
		return &deployment.PodSettings
	}
	return nil
}

// MemberRestarts says what becomes of the target when a member is lost, empty where it is not said.
func (s *BenchmarkTargetSpec) MemberRestarts() MemberRestarts {
	deployment := ptr.Deref(s.Deployment(), Deployment{})
	return ptr.Deref(deployment.MemberRestarts, "")
}

// ProvisioningSeconds is the time within which the target must be ready, nil where it is not said.
func (s *BenchmarkTargetSpec) ProvisioningSeconds() *int32 {
	if s.External != nil {
		return s.External.ProvisioningSeconds
	}
	return ptr.Deref(s.Deployment(), Deployment{}).ProvisioningSeconds
}
