// Command flux evaluates the health of objects as Flux does: by kstatus, or by CEL expressions where a case has some. It reads cases as a JSON
// list from standard input and prints a JSON list with the result of each.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type testCase struct {
	Expressions *kustomize.HealthCheckExpressions `json:"expressions,omitempty"`
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
	found, err := compute(each.Expressions, &each.Object)
	if err != nil {
		// as the reader of status does in the controller
		return result{Status: string(status.UnknownStatus), Message: err.Error()}
	}
	return result{Status: string(found.Status), Message: found.Message}
}

func compute(expressions *kustomize.HealthCheckExpressions, object *unstructured.Unstructured) (*status.Result, error) {
	if expressions == nil {
		return status.Compute(object)
	}
	evaluator, err := cel.NewStatusEvaluator(expressions)
	if err != nil {
		// the controller refuses the whole Kustomization
		return &status.Result{Status: "Invalid", Message: err.Error()}, nil
	}
	return evaluator.Evaluate(context.Background(), object)
}
