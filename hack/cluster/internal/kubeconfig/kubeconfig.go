package kubeconfig

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/pki"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// config is the part of a kubeconfig that is needed here, in the JSON form that every client reads as well as YAML.
type config struct {
	APIVersion     string         `json:"apiVersion"`
	Kind           string         `json:"kind"`
	Clusters       []namedCluster `json:"clusters"`
	Users          []namedUser    `json:"users"`
	Contexts       []namedContext `json:"contexts"`
	CurrentContext string         `json:"current-context"`
}

type namedCluster struct {
	Name    string  `json:"name"`
	Cluster cluster `json:"cluster"`
}

type cluster struct {
	Server string `json:"server"`
	// Byte slices become base64, which is what the format asks for.
	Authority []byte `json:"certificate-authority-data"`
}

type namedUser struct {
	Name string `json:"name"`
	User user   `json:"user"`
}

type user struct {
	Certificate []byte `json:"client-certificate-data"`
	Key         []byte `json:"client-key-data"`
}

type namedContext struct {
	Name    string  `json:"name"`
	Context context `json:"context"`
}

type context struct {
	Cluster string `json:"cluster"`
	User    string `json:"user"`
}

// Write writes the kubeconfig of everybody who has a client certificate of the cluster's authority: the control
// plane's own by way of 127.0.0.1, which serves the admin on the host too, and the nodes' by way of their network.
func Write(c plan.Cluster) error {
	users := map[string]string{
		"admin":                   c.HostURL(),
		"provisioner":             c.HostURL(),
		"kube-controller-manager": c.HostURL(),
		"kube-scheduler":          c.HostURL(),
	}
	for _, node := range c.Nodes() {
		users["kubelet-"+node.Name()] = c.NodeURL()
		users["kube-proxy-"+node.Name()] = c.NodeURL()
	}
	if err := os.MkdirAll(filepath.Dir(c.AdminKubeconfig()), 0o700); err != nil {
		return fmt.Errorf("making the kubeconfig folder: %w", err)
	}
	for name, server := range users {
		if err := writeOne(c, name, server); err != nil {
			return fmt.Errorf("writing kubeconfig of %s: %w", name, err)
		}
	}
	return nil
}

func writeOne(c plan.Cluster, name, server string) error {
	var contents [3][]byte
	for index, file := range []string{pki.ClusterAuthority + ".crt", name + ".crt", name + ".key"} {
		content, err := os.ReadFile(filepath.Join(c.PKI(), file))
		if err != nil {
			return err
		}
		contents[index] = content
	}
	encoded, err := json.MarshalIndent(config{
		APIVersion:     "v1",
		Kind:           "Config",
		Clusters:       []namedCluster{{Name: "mongobench", Cluster: cluster{Server: server, Authority: contents[0]}}},
		Users:          []namedUser{{Name: name, User: user{Certificate: contents[1], Key: contents[2]}}},
		Contexts:       []namedContext{{Name: "mongobench", Context: context{Cluster: "mongobench", User: name}}},
		CurrentContext: "mongobench",
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(c.Kubeconfig(name), append(encoded, '\n'), 0o600)
}
