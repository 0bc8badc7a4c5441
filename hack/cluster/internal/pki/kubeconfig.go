package pki

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// writeKubeconfigs writes the files with which those who have a client certificate of the cluster's authority reach the
// API server: the control plane's own by way of 127.0.0.1, which serves the admin on the host too, and the nodes' by way
// of their network.
func writeKubeconfigs(c plan.Cluster) error {
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
		if err := writeKubeconfig(c, name, server); err != nil {
			return fmt.Errorf("writing kubeconfig of %s: %w", name, err)
		}
	}
	return nil
}

// writeKubeconfig writes JSON, which every client reads as well as YAML. Byte slices become base64, as the format wants.
func writeKubeconfig(c plan.Cluster, name, server string) error {
	var contents [3][]byte
	for index, file := range []string{ClusterAuthority + ".crt", name + ".crt", name + ".key"} {
		content, err := os.ReadFile(c.Key(file))
		if err != nil {
			return err
		}
		contents[index] = content
	}
	const cluster = "mongobench"
	type object = map[string]any
	encoded, err := json.MarshalIndent(object{
		"apiVersion": "v1",
		"kind":       "Config",
		"clusters": []object{{
			"name": cluster, "cluster": object{"server": server, "certificate-authority-data": contents[0]},
		}},
		"users": []object{{
			"name": name, "user": object{"client-certificate-data": contents[1], "client-key-data": contents[2]},
		}},
		"contexts":        []object{{"name": cluster, "context": object{"cluster": cluster, "user": name}}},
		"current-context": cluster,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(c.Kubeconfig(name), append(encoded, '\n'), 0o600)
}
