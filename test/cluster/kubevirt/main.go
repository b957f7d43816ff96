// Command kubevirt prints the custom resource definitions of KubeVirt's virtual machines, made from the OpenAPI schemas in its client library:
// the definitions themselves are in no Go module, and these schemas are what they are generated from.
package main

import (
	"encoding/json"
	"log"
	"os"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	kubevirt "kubevirt.io/client-go/api"
)

// Kinds whose manifests are written or judged here, with the names that their definitions give them.
var kinds = []struct{ kind, plural string }{
	{"VirtualMachine", "virtualmachines"},
	{"VirtualMachineInstance", "virtualmachineinstances"},
	{"VirtualMachineInstanceMigration", "virtualmachineinstancemigrations"},
}

// Fields of the Go types int and uint, for which the schemas of the library have int32.
var wide = map[string]bool{
	"acpiIndex": true, "bootOrder": true, "discardGranularity": true, "logical": true, "offsetSeconds": true, "option": true, "physical": true,
}

const apiPackage = "kubevirt.io/api/core/v1."

// The form of quantities in KubeVirt's definitions.
const quantity = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// Fields of the Go type uint32, for which the schemas of the library have int64: webhooks cannot read other numbers.
var unsigned = map[string]bool{"cores": true, "maxSockets": true, "sockets": true, "threads": true, "spinlocks": true, "supplementalPoolThreadCount": true}

// Types whose OpenAPI schema says less than their JSON: numbers are taken as quantities, anything as an embedded object.
var special = map[string]object{
	"k8s.io/apimachinery/pkg/api/resource.Quantity":   {"x-kubernetes-int-or-string": true, "anyOf": []object{{"type": "integer"}, {"type": "string"}}, "pattern": quantity},
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": {"x-kubernetes-int-or-string": true, "anyOf": []object{{"type": "integer"}, {"type": "string"}}},
	"k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta": {"type": "object", "nullable": true, "x-kubernetes-preserve-unknown-fields": true},
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":       {"type": "string", "format": "date-time", "nullable": true},
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":   {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	"k8s.io/apimachinery/pkg/runtime.RawExtension":    {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":   {"type": "string"},
	"k8s.io/api/core/v1.TypedLocalObjectReference":    nil,
}

type object = map[string]any

func main() {
	schemas := map[string]spec.Schema{}
	for name, definition := range kubevirt.GetOpenAPIDefinitions(func(name string) spec.Ref { return spec.MustCreateRef("#/" + name) }) {
		schemas[name] = definition.Schema
	}
	list := []object{}
	for _, kind := range kinds {
		list = append(list, definition(kind.kind, kind.plural, schemas))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(object{"apiVersion": "v1", "kind": "List", "metadata": object{}, "items": list}); err != nil {
		log.Fatal(err)
	}
}

func definition(kind, plural string, schemas map[string]spec.Schema) object {
	schema := structural(schemas[apiPackage+kind], schemas)
	// the server has its own schema for the metadata of an object
	schema["properties"].(object)["metadata"] = object{"type": "object"}
	group := "kubevirt.io"
	return object{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   object{"name": plural + "." + group},
		"spec": object{
			"group": group,
			"scope": "Namespaced",
			"names": object{"kind": kind, "plural": plural, "singular": strings.ToLower(kind), "listKind": kind + "List"},
			"versions": []object{{
				"name": "v1", "served": true, "storage": true, "subresources": object{"status": object{}},
				"schema": object{"openAPIV3Schema": schema},
			}},
		},
	}
}

// structural is a schema with every reference opened, in the form that a definition must have.
func structural(schema spec.Schema, schemas map[string]spec.Schema) object {
	if name, ok := strings.CutPrefix(schema.Ref.String(), "#/"); ok && name != "" {
		name = strings.ReplaceAll(name, "~1", "/")
		if form := special[name]; form != nil {
			return form
		}
		target, known := schemas[name]
		if !known {
			log.Fatalf("no schema of %s", name)
		}
		return structural(target, schemas)
	}
	if len(schema.AllOf) == 1 {
		return structural(schema.AllOf[0], schemas)
	}
	out := object{}
	if len(schema.Type) == 1 {
		out["type"] = schema.Type[0]
	}
	if schema.Format != "" {
		out["format"] = schema.Format
	}
	if len(schema.Properties) > 0 {
		properties := object{}
		for name, property := range schema.Properties {
			properties[name] = structural(property, schemas)
			if property := properties[name].(object); property["type"] == "integer" {
				if unsigned[name] {
					property["format"] = "uint32"
				}
				if wide[name] {
					delete(property, "format")
				}
			}
		}
		out["properties"] = properties
	}
	if len(schema.Required) > 0 {
		out["required"] = schema.Required
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		out["items"] = structural(*schema.Items.Schema, schemas)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		out["additionalProperties"] = structural(*schema.AdditionalProperties.Schema, schemas)
	}
	for _, key := range []string{"x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"} {
		if value, ok := schema.Extensions[key]; ok && out["type"] == "array" {
			out[key] = value
		}
	}
	return out
}
