import { know } from '../../core/app/known-objects';
import { isLate } from '../../core/late/late-token';
import { SecretValue } from '../../core/late/secret-value';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { checkCertificatePair, checkCertificates } from '../../core/text/certificates';
import { ClusterContext, ClusterParts, Fields, SecretContent, objectName, writeClusterObject } from '../cluster/cluster-parts';
import { BASIC_AUTH_TYPE, REGISTRY_AUTH_CONFIG_TYPE, TLS_TYPE } from '../cluster/cluster.kind';

/**
 * Credentials of a container registry in Rancher's own form; at least one of them.
 */
export interface RegistryAuthConfig {
  /** Name of the user. @default - none */
  readonly username?: string;
  /** Password of the user. @default - none */
  readonly password?: SecretValue;
  /** Base64 of `<user>:<password>`, as in a Docker configuration. @default - none */
  readonly auth?: SecretValue;
  /** A token in place of a password. @default - none */
  readonly identityToken?: SecretValue;
}

/**
 * Credentials of a container registry: a Secret beside the Cluster on Rancher.
 */
export class RegistryAuth {
  /**
   * A user and a password: a Secret of type kubernetes.io/basic-auth is made.
   */
  public static basic(username: string, password: SecretValue): RegistryAuth {
    return new RegistryAuth({ type: BASIC_AUTH_TYPE, data: { username, password } });
  }

  /**
   * Rancher's own form: a Secret of type rke.cattle.io/auth-config is made.
   */
  public static config(config: RegistryAuthConfig): RegistryAuth {
    const { username, password, auth, identityToken } = config;
    return new RegistryAuth({ type: REGISTRY_AUTH_CONFIG_TYPE, data: { username, password, auth, identityToken } });
  }

  /**
   * A Secret that is there, in the namespace of the Cluster.
   *
   * @param name of a Secret of type kubernetes.io/basic-auth or rke.cattle.io/auth-config; kubernetes.io/dockerconfigjson with Rancher releases
   * that take it (UNCONFIRMED since which)
   */
  public static fromSecretName(name: string): RegistryAuth {
    return new RegistryAuth(name);
  }

  private constructor(
    /** @internal */
    public readonly _secret: SecretContent | string,
  ) {}
}

/**
 * The certificate that nodes show a container registry: a Secret beside the Cluster on Rancher.
 */
export class RegistryTls {
  /**
   * A certificate and its key, both in PEM form: a Secret of type kubernetes.io/tls is made.
   */
  public static of(certificate: string, key: SecretValue): RegistryTls {
    return new RegistryTls({ type: TLS_TYPE, data: { 'tls.crt': certificate, 'tls.key': key } }, { certificate, key });
  }

  /**
   * A Secret of type kubernetes.io/tls that is there, in the namespace of the Cluster.
   */
  public static fromSecretName(name: string): RegistryTls {
    return new RegistryTls(name);
  }

  private constructor(
    /** @internal */
    public readonly _secret: SecretContent | string,
    /** @internal */
    public readonly _pair?: { readonly certificate: string; readonly key: SecretValue },
  ) {}
}

/**
 * The container registries of a cluster: mirrors, credentials and certificates, as containerd takes them.
 *
 * Secrets are made in the namespace of the Cluster on Rancher, which writes what they hold to the nodes.
 *
 * @see https://docs.rke2.io/install/private_registry
 */
export interface Registries {
  /** Where images of a registry are fetched from, by the registry, e.g. `docker.io`; `*` is every registry. @default - none */
  readonly mirrors?: { readonly [registry: string]: RegistryMirror };
  /** How a registry or an endpoint of a mirror is spoken to, by `<host>[:port]`. @default - none */
  readonly configs?: { readonly [registry: string]: RegistryConfig };
}

/**
 * Where images of a registry are fetched from.
 */
export interface RegistryMirror {
  /** URLs in the order in which they are tried, e.g. `https://mirror.example.com`. */
  readonly endpoints: string[];
  /** Replacements in names of repositories, by regular expression, e.g. `{'^rancher/(.*)': 'mirror/rancher/$1'}`. @default - none */
  readonly rewrites?: { readonly [pattern: string]: string };
}

/**
 * How a registry is spoken to.
 */
export interface RegistryConfig {
  /** Credentials. @default - none */
  readonly auth?: RegistryAuth;
  /** The certificate that the nodes show. @default - none */
  readonly tls?: RegistryTls;
  /** Certificates in PEM form that the registry's certificate is signed by. @default - what the nodes trust */
  readonly caBundle?: string;
  /**
   * Whether the certificate of the registry is taken unseen.
   * @default false
   */
  readonly insecureSkipVerify?: boolean;
}

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
    const { scope, rancher: target, fleetWorkspace: namespace } = context;
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
