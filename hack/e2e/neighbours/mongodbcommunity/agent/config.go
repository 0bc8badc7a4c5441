package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// automation is what is read of the automation config: the names are its own.
type automation struct {
	Version     int64        `json:"version"`
	Processes   []process    `json:"processes"`
	ReplicaSets []replicaSet `json:"replicaSets"`
	Auth        auth         `json:"auth"`
	Roles       []customRole `json:"roles"`
}

type process struct {
	Name string         `json:"name"`
	Host string         `json:"hostname"`
	Args map[string]any `json:"args2_6"`
}

type replicaSet struct {
	ID      string `json:"_id"`
	Members []struct {
		ID          int     `json:"_id"`
		Host        string  `json:"host"`
		ArbiterOnly bool    `json:"arbiterOnly"`
		Votes       int     `json:"votes"`
		Priority    float64 `json:"priority"`
	} `json:"members"`
}

type auth struct {
	Users        []user `json:"usersWanted"`
	AutoUser     string `json:"autoUser"`
	AutoPassword string `json:"autoPwd"`
	Key          string `json:"key"`
	KeyFile      string `json:"keyfile"`
}

type role struct {
	Role string `json:"role" bson:"role"`
	DB   string `json:"db" bson:"db"`
}

type user struct {
	Name   string       `json:"user"`
	DB     string       `json:"db"`
	Roles  []role       `json:"roles"`
	SHA1   *credentials `json:"scramSha1Creds"`
	SHA256 *credentials `json:"scramSha256Creds"`
}

// credentials are what a server keeps in place of a password.
type credentials struct {
	IterationCount int32  `json:"iterationCount" bson:"iterationCount"`
	Salt           string `json:"salt" bson:"salt"`
	StoredKey      string `json:"storedKey" bson:"storedKey"`
	ServerKey      string `json:"serverKey" bson:"serverKey"`
}

type customRole struct {
	Role       string `json:"role"`
	DB         string `json:"db"`
	Privileges []struct {
		Resource struct {
			DB         *string `json:"db"`
			Collection *string `json:"collection"`
			Any        bool    `json:"anyResource"`
			Cluster    bool    `json:"cluster"`
		} `json:"resource"`
		Actions []string `json:"actions"`
	} `json:"privileges"`
	Roles []role `json:"roles"`
}

func readAutomation(path string) (automation, error) {
	var read automation
	content, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(content, &read)
	}
	if err != nil {
		return automation{}, fmt.Errorf("reading the automation config: %w", err)
	}
	return read, nil
}

// processOf is the process of one pod.
func (a automation) processOf(pod string) (process, error) {
	for _, one := range a.Processes {
		if one.Name == pod {
			return one, nil
		}
	}
	return process{}, fmt.Errorf("the automation config has no process %s", pod)
}

// port is where a server listens.
func (p process) port() any {
	net, _ := p.Args["net"].(map[string]any)
	return net["port"]
}

// configurationFile is what the container mongod waits for, in the folder of the data.
const configurationFile = "automation-mongod.conf"

// prepare writes what the container mongod waits for, the keyfile first. A server that runs is not told of changes.
func prepare(config automation, mine process) error {
	storage, _ := mine.Args["storage"].(map[string]any)
	folder, _ := storage["dbPath"].(string)
	if folder == "" {
		return errors.New("the automation config does not say where the data is")
	}
	path := filepath.Join(folder, configurationFile)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.WriteFile(config.Auth.KeyFile, []byte(config.Auth.Key), 0o600); err != nil {
		return fmt.Errorf("writing the keyfile: %w", err)
	}
	// The config leaves out what the real agent adds by itself.
	if net, is := mine.Args["net"].(map[string]any); is {
		net["bindIpAll"] = true
	}
	mine.Args["security"] = map[string]any{"keyFile": config.Auth.KeyFile, "authorization": "enabled"}
	content, err := yaml.Marshal(mine.Args)
	if err == nil {
		err = writeWhole(path, content)
	}
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	return nil
}

// writeWhole writes a file in such a way that nobody ever sees a part of it.
func writeWhole(path string, content []byte) error {
	partial := path + ".partial"
	if err := os.WriteFile(partial, content, 0o600); err != nil {
		return err
	}
	return os.Rename(partial, path)
}
