import { objectName, SecretContent, writeClusterObject } from './_cluster-secret';
import { ClusterContext, ClusterParts, Fields } from './_parts';
import { Registries, RegistryConfig } from './registries';
import { checkCertificatePair } from '../model/checks/certificate-pair';
import { checkCertificates } from '../model/checks/certificates';
import { know } from '../model/known-objects';
import { isLate } from '../model/late-token';
import { API_VERSIONS } from '../model/names';
import { Problem } from '../model/problem';

/** rkeConfig.registries, and the Secrets that it names; undefined where there is nothing to say. */
export function registriesSpec(context: ClusterContext, registries: Registries | undefined, parts: ClusterParts): Fields | undefined {
  const { mirrors = {}, configs = {} } = registries ?? {};
  const spec = {
    mirrors: Object.fromEntries(Object.entries(mirrors).map(([registry, { endpoints, rewrites }]) => (
      [registry, { endpoint: [...endpoints], rewrite: rewrites }]))),
    configs: Object.fromEntries(Object.entries(configs).map(([registry, config]) => [registry, configSpec(context, registry, config, parts)])),
  };
  const filled = Object.entries(spec).filter(([, value]) => Object.keys(value).length > 0);
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

function configSpec(context: ClusterContext, registry: string, config: RegistryConfig, parts: ClusterParts): Fields {
  return {
    authConfigSecretName: secretName(context, 'auth', registry, config.auth?._secret, parts),
    tlsSecretName: secretName(context, 'tls', registry, config.tls?._secret, parts),
    // the field is of Go's []byte: base64 on the wire
    caBundle: config.caBundle === undefined ? undefined : Buffer.from(config.caBundle).toString('base64'),
    insecureSkipVerify: config.insecureSkipVerify,
  };
}

function secretName(
  context: ClusterContext, what: string, registry: string, secret: SecretContent | string | undefined, parts: ClusterParts,
): string | undefined {
  if (secret === undefined) { return undefined; }
  if (typeof secret === 'string') {
    const { scope, rancher: target, clusterNamespace: namespace } = context;
    know(scope, { target, apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace, name: secret });
    return secret;
  }
  const name = objectName(`registryconfig-${what}-${context.name}`, registry);
  parts.before.push(writeClusterObject(context, name, {
    kind: 'Secret', name, content: secret, reason: 'Rancher can not write the plans of the nodes without it, so the cluster can not be changed any more',
  }));
  return name;
}

/** What is wrong with the registries. */
export function* checkRegistries({ mirrors = {}, configs = {} }: Registries = {}): Iterable<Problem> {
  for (const [registry, { endpoints }] of Object.entries(mirrors)) {
    const path = `registries.mirrors[${registry}].endpoints`;
    if (endpoints.length === 0) { yield { path, message: 'is empty, which says nothing', fix: 'name a URL, or leave the mirror out' }; }
    for (const [index, endpoint] of endpoints.entries()) {
      if (isLate(endpoint) || /^https?:\/\/[^/\s]+/.test(endpoint)) { continue; }
      yield { path: `${path}[${index}]`, value: endpoint, message: 'is no URL', fix: 'give it with its scheme, e.g. https://mirror.example.com' };
    }
    if (/^https?:/.test(registry)) { yield hostOnly('mirrors', registry); }
  }
  for (const [registry, { auth, caBundle, insecureSkipVerify, tls }] of Object.entries(configs)) {
    const path = `registries.configs[${registry}]`;
    if (/^https?:/.test(registry)) { yield hostOnly('configs', registry); }
    yield* checkCertificates(`${path}.caBundle`, caBundle);
    if (tls?._pair) { yield* checkCertificatePair(`${path}.tls`, tls._pair.certificate, tls._pair.key._unwrap()); }
    if (typeof auth?._secret === 'object' && Object.values(auth._secret.data).every((value) => value === undefined)) {
      yield { path: `${path}.auth`, message: 'holds no credentials', fix: 'give a username and a password, an auth or an identityToken' };
    }
    if (!auth && !tls && caBundle === undefined && insecureSkipVerify === undefined) {
      yield { path, message: 'says nothing of the registry', fix: 'give auth, tls, caBundle or insecureSkipVerify, or leave the entry out' };
    }
  }
}

function hostOnly(field: string, registry: string): Problem {
  return { path: `registries.${field}[${registry}]`, message: 'is a URL, and containerd looks registries up by their host', fix: `write ${registry.replace(/^https?:\/+/, '').replace(/\/.*/, '')}` };
}
