package gitops

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	lua "github.com/yuin/gopher-lua"
	"sigs.k8s.io/yaml"
)

// libraries are those that Argo CD gives a health check that comes from argocd-cm, but for a part of os.
var libraries = map[string]lua.LGFunction{
	lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable,
}

func TestArgoCDHealth(t *testing.T) {
	eachState(t, func(t *testing.T, k kind, s state) {
		t.Helper()
		status, message := health(t, k, s.object(t, k))
		if status != s.Argocd || !strings.Contains(message, s.Message) {
			t.Errorf("health is %s: %q, want %s: %q", status, message, s.Argocd, s.Message)
		}
	})
}

// health runs the check of a kind.
func health(t *testing.T, k kind, object map[string]any) (status, message string) {
	t.Helper()
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range libraries {
		err := state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name))
		if err != nil {
			t.Fatal(err)
		}
	}
	state.SetGlobal("obj", toLua(state, object))
	if err := state.DoFile(script(k)); err != nil {
		t.Fatal(err)
	}
	result, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		t.Fatalf("the check returns %v", state.Get(-1))
	}
	return result.RawGetString("status").String(), result.RawGetString("message").String()
}

func script(k kind) string {
	return filepath.Join(gitops, "argocd", "mongobench.dev", k.name, "health.lua")
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case bool:
		return lua.LBool(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	case string:
		return lua.LString(value)
	case []any:
		list := state.NewTable()
		for _, item := range value {
			list.Append(toLua(state, item))
		}
		return list
	case map[string]any:
		fields := state.NewTable()
		for name, field := range value {
			fields.RawSetString(name, toLua(state, field))
		}
		return fields
	default:
		return lua.LNil
	}
}

// TestArgoCDConfigurationIsMadeOfTheChecks compares argocd-cm.yaml with the Lua files.
func TestArgoCDConfigurationIsMadeOfTheChecks(t *testing.T) {
	data := map[string]string{}
	for _, k := range kinds {
		data["resource.customizations.health.mongobench.dev_"+k.name] = string(read(t, script(k)))
	}
	content, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": data,
		"metadata": map[string]any{
			"name": "argocd-cm", "namespace": "argocd", "labels": map[string]any{"app.kubernetes.io/part-of": "argocd"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	const head = "# Generated from mongobench.dev/*/health.lua. It adds to the ConfigMap that Argo CD has:\n" +
		"#\n#   kubectl --namespace argocd patch configmap argocd-cm --patch-file argocd-cm.yaml\n"
	want := head + string(content)
	if diff := cmp.Diff(want, write(t, gitops+"/argocd/argocd-cm.yaml", want)); diff != "" {
		t.Errorf("argocd-cm.yaml differs; go test -update rewrites it (-want +got):\n%s", diff)
	}
}

// TestArgoCDApplicationNamesTheExample keeps the example's folder and namespace what the application says.
func TestArgoCDApplicationNamesTheExample(t *testing.T) {
	var application struct {
		Spec struct {
			Source      struct{ Path string }
			Destination struct{ Namespace string }
		}
	}
	decode(t, gitops+"/argocd/application.yaml", &application)
	var example struct{ Namespace string }
	decode(t, filepath.Join(gitops, application.Spec.Source.Path, "kustomization.yaml"), &example)
	if got := application.Spec.Destination.Namespace; got != example.Namespace {
		t.Errorf("the application's namespace is %q, the example's %q", got, example.Namespace)
	}
}
