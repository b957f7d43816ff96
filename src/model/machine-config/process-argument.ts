/**
 * Whether Kubernetes would change a text that stands among the arguments of a container: `$$` becomes `$`, and `$(NAME)` the environment variable
 * of that name where there is one.
 *
 * Rancher hands each field of a machine configuration to the node driver that way, so shell scripts in it would be altered without a word.
 * @see rancher/rancher:pkg/controllers/capr/machineprovision/template.go Args
 * @see kubernetes/kubernetes:third_party/forked/golang/expansion/expand.go
 */
export function isExpanded(text: string): boolean {
  return /\$\$|\$\([A-Z_][A-Z0-9_]*\)/.test(text);
}
