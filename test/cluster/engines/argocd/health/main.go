// Command health evaluates the health of objects as Argo CD does: by a Lua script, or by the checks that Argo CD has where a case has none.
// It reads cases as a JSON list from standard input and prints a JSON list with the result of each.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type testCase struct {
	Script string `json:"script,omitempty"`
	// numbers that are whole stay whole, as they do in the controller
	Object unstructured.Unstructured `json:"object"`
}

type result struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

func main() {
	log.SetFlags(0)
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		log.Fatal(err)
	}
	results := make([]result, len(cases))
	for i, each := range cases {
		results[i] = evaluate(each)
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		log.Fatal(err)
	}
}

func evaluate(each testCase) result {
	overrides := lua.ResourceHealthOverrides{}
	if each.Script != "" {
		overrides[lua.GetConfigMapKey(each.Object.GroupVersionKind())] = v1alpha1.ResourceOverride{HealthLua: each.Script}
	}
	found, err := health.GetResourceHealth(&each.Object, overrides)
	switch {
	case err != nil:
		// as the controller shows it
		return result{Status: string(health.HealthStatusUnknown), Message: err.Error()}
	case found == nil:
		// no check: the object counts as healthy
		return result{Status: string(health.HealthStatusHealthy), Message: "no check"}
	}
	return result{Status: string(found.Status), Message: found.Message}
}
