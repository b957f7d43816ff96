/** What a kubeconfig with one cluster, one user and one context contains, as YAML has it. */
export interface KubeconfigParts {
  /** The URL of the API. */
  readonly server: string;
  readonly namespace: string;
  /** The certificate authority in base64. */
  readonly ca: string;
  readonly token: string;
  /** The name of the cluster. @default default */
  readonly cluster?: string;
  /** The name of the context and of the user. @default default */
  readonly context?: string;
  /**
   * Whether it contains the line `preferences: {}`, as client-go before 0.34 wrote it.
   * @default false
   */
  readonly preferences?: boolean;
}

/**
 * A kubeconfig byte for byte as kubectl and Harvester write it: keys in alphabetical order, lists
 * not indented.
 *
 * @see kubernetes/client-go:tools/clientcmd/api/v1/types.go
 */
export function kubeconfigYaml({
  server,
  namespace,
  ca,
  token,
  cluster = 'default',
  context = 'default',
  preferences,
}: KubeconfigParts): string {
  return [
    'apiVersion: v1',
    'clusters:',
    '- cluster:',
    `    certificate-authority-data: ${ca}`,
    `    server: ${server}`,
    `  name: ${cluster}`,
    'contexts:',
    '- context:',
    `    cluster: ${cluster}`,
    `    namespace: ${namespace}`,
    `    user: ${context}`,
    `  name: ${context}`,
    `current-context: ${context}`,
    'kind: Config',
    ...(preferences ? ['preferences: {}'] : []),
    'users:',
    `- name: ${context}`,
    '  user:',
    `    token: ${token}`,
    '',
  ].join('\n');
}
