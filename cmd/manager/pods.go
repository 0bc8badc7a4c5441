package main

import (
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/json"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// priceList is the name of a ConfigMap.
func priceList(text string) (types.NamespacedName, error) {
	namespace, name, both := strings.Cut(text, "/")
	if text != "" && (!both || namespace == "" || name == "" || strings.Contains(name, "/")) {
		return types.NamespacedName{}, fmt.Errorf("%q is not NAMESPACE/NAME", text)
	}
	return types.NamespacedName{Namespace: namespace, Name: name}, nil
}

// podFlags adds the flags that say what all pods are given.
func podFlags(set *flag.FlagSet, settings *controllers.Settings) {
	settings.Platform = controllers.PlatformKubernetes
	platforms := []controllers.Platform{controllers.PlatformKubernetes, controllers.PlatformOpenShift}
	set.Func("platform", "kind of cluster: Kubernetes, or OpenShift, which gives pods their user (default Kubernetes)",
		func(name string) error {
			if !slices.Contains(platforms, controllers.Platform(name)) {
				return fmt.Errorf("must be one of %v", platforms)
			}
			settings.Platform = controllers.Platform(name)
			return nil
		})
	set.BoolVar(&settings.IPv6, "ipv6", inIPv6Cluster(),
		"make servers that need to be told listen on IPv6 (default: if the cluster's own API server has such an address)")
	set.Func("api-server-ports", "ports of the API server, separated by commas: with any, NetworkPolicies let load pods "+
		"and topology Jobs out to these, to the members and to DNS only", func(list string) error {
		for _, text := range split(list) {
			port, err := strconv.ParseUint(text, 10, 16)
			if err != nil || port == 0 {
				return fmt.Errorf("%q is no port", text)
			}
			settings.APIServerPorts = append(settings.APIServerPorts, int32(port))
		}
		return nil
	})
	set.Func("price-list", "ConfigMap with the price list of runs that name none, as NAMESPACE/NAME; empty: none",
		func(text string) (err error) {
			settings.PriceList, err = priceList(text)
			return err
		})
	set.Func("pod-defaults", "settings of all pods as JSON, in the form of spec.podSettings of a target",
		func(text string) (err error) {
			settings.PodDefaults, err = podDefaults(text)
			return err
		})
}

// inIPv6Cluster says whether this is a pod of a cluster whose first addresses are IPv6.
func inIPv6Cluster() bool {
	address, err := netip.ParseAddr(os.Getenv("KUBERNETES_SERVICE_HOST"))
	return err == nil && address.Is6()
}

// podDefaults reads settings, of which all must be known and possible.
func podDefaults(text string) (benchv1alpha1.PodSettings, error) {
	var settings benchv1alpha1.PodSettings
	unknown, err := json.UnmarshalStrict([]byte(text), &settings)
	if err = errors.Join(append(unknown, err)...); err != nil {
		return settings, fmt.Errorf("reading the settings: %w", err)
	}
	return settings, validation.ValidatePodSettings(&settings, field.NewPath("pod-defaults")).ToAggregate()
}
