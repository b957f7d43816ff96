import { isLate } from '../../core/late/late-token';
import { inlineText } from '../../core/yaml/yaml-writer';
import { HARVESTER_API_PORT } from '../../guest/cloud-provider/cloud-provider.kind';

/** The input of a kubeconfig with one cluster, one user and one context. */
interface KubeconfigParts {
  /** The URL of the API. */
  readonly server: string;
  /** The certificate authority in base64, as in a Secret. */
  readonly certificateAuthority: string;
  readonly token: string;
  readonly namespace: string;
  /** The name of the cluster. */
  readonly cluster: string;
  /** The name of the context and of the user. */
  readonly context: string;
  /** Whether it contains the line `preferences: {}`, as client-go before 0.34 wrote it. */
  readonly emptyPreferences: boolean;
}

/**
 * A kubeconfig byte for byte as kubectl and Harvester write it: keys in alphabetical order, lists not indented.
 *
 * @see kubernetes/client-go:tools/clientcmd/api/v1/types.go
 */
export function kubeconfigText(parts: KubeconfigParts): string {
  const { server, certificateAuthority, token, namespace, emptyPreferences } = parts;
  // YAML would parse names such as 123 as numbers
  const [cluster, context] = [inlineText(parts.cluster), inlineText(parts.context)];
  return [
    'apiVersion: v1',
    'clusters:',
    '- cluster:',
    `    certificate-authority-data: ${certificateAuthority}`,
    `    server: ${server}`,
    `  name: ${cluster}`,
    'contexts:',
    '- context:',
    `    cluster: ${cluster}`,
    `    namespace: ${inlineText(namespace)}`,
    `    user: ${context}`,
    `  name: ${context}`,
    `current-context: ${context}`,
    'kind: Config',
    ...(emptyPreferences ? ['preferences: {}'] : []),
    'users:',
    `- name: ${context}`,
    '  user:',
    `    token: ${token}`,
    '',
  ].join('\n');
}

/**
 * The URL of a Harvester's Kubernetes API at its management address.
 */
export function harvesterApiUrl(vip: string): string {
  const isIpv6 = !isLate(vip) && vip.includes(':') && !vip.startsWith('[');
  return `https://${isIpv6 ? `[${vip}]` : vip}:${HARVESTER_API_PORT}`;
}
