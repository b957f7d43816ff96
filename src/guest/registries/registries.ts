import { IConstruct } from 'constructs';
import { checkRegistryHost } from './registries.check';
import { RegistryAuthConfig } from './registry-auth-config';
import { RegistryMirror } from './registry-mirror';
import { isLate } from '../../core/late/late-token';
import { checkCertificatePair, checkCertificates } from '../../core/problem/certificates';
import { Problem } from '../../core/problem/problem';
import { SecretValue } from '../../core/value/secret-value';
import { BASIC_AUTH_TYPE, REGISTRY_AUTH_CONFIG_TYPE, TLS_TYPE } from '../cluster/cluster.kind';
import {
  ClusterContext,
  clusterObject,
  ClusterParts,
  ClusterFields,
  clusterObjectName,
  SecretContent,
} from '../parts/cluster-parts';

/** Credentials of a container registry: a Secret in the namespace of the Cluster on Rancher. */
export class RegistryAuth {
  /** A user and a password, in a new Secret of type kubernetes.io/basic-auth. */
  public static basic(username: string, password: SecretValue): RegistryAuth {
    return new RegistryAuth({ type: BASIC_AUTH_TYPE, data: { username, password } });
  }

  /** Rancher's own form, in a new Secret of type rke.cattle.io/auth-config. */
  public static config(config: RegistryAuthConfig): RegistryAuth {
    const { username, password, auth, identityToken } = config;
    return new RegistryAuth({
      type: REGISTRY_AUTH_CONFIG_TYPE,
      data: { username, password, auth, identityToken },
    });
  }

  /**
   * An existing Secret in the namespace of the Cluster.
   *
   * @param name of a Secret of type kubernetes.io/basic-auth or rke.cattle.io/auth-config; kubernetes.io/dockerconfigjson with Rancher releases
   * that accept it (which ones is unconfirmed)
   */
  public static fromSecretName(name: string): RegistryAuth {
    return new RegistryAuth(name);
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _secret: SecretContent | string,
  ) {}
}

/**
 * The client certificate of nodes for a container registry: a Secret in the namespace of the
 * Cluster on Rancher.
 */
export class RegistryTls {
  /** A certificate and its key, both in PEM form, in a new Secret of type kubernetes.io/tls. */
  public static of(certificate: string, privateKey: SecretValue): RegistryTls {
    return new RegistryTls(
      { type: TLS_TYPE, data: { 'tls.crt': certificate, 'tls.key': privateKey } },
      { certificate, privateKey },
    );
  }

  /** An existing Secret of type kubernetes.io/tls in the namespace of the Cluster. */
  public static fromSecretName(name: string): RegistryTls {
    return new RegistryTls(name);
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _secret: SecretContent | string,
    /** @internal */
    public readonly _pair?: { readonly certificate: string; readonly privateKey: SecretValue },
  ) {}
}

/**
 * The container registries of a cluster: mirrors, credentials and certificates for containerd.
 *
 * Secrets are created in the namespace of the Cluster on Rancher, which writes their content to the
 * nodes.
 *
 * @see https://docs.rke2.io/install/private_registry
 */
export interface Registries {
  /** The mirrors by registry, e.g. `docker.io`; `*` means every registry. @default - no mirrors */
  readonly mirrors?: { readonly [registry: string]: RegistryMirror };
  /**
   * The settings of a registry or of an endpoint of a mirror, by `<host>[:port]`.
   * @default - no credentials, verified TLS
   */
  readonly configs?: { readonly [registry: string]: RegistryConfig };
}

/** The settings of a registry. */
export interface RegistryConfig {
  /** The credentials. @default - no credentials */
  readonly auth?: RegistryAuth;
  /** The client certificate of the nodes. @default - no client certificate */
  readonly tls?: RegistryTls;
  /**
   * The CA certificates of the registry, in PEM form.
   * @default - the CA certificates that the nodes trust
   */
  readonly caCertificates?: string;
  /** Whether to skip the verification of the registry's certificate. @default false */
  readonly insecureSkipTlsVerify?: boolean;
}

/**
 * The field `rkeConfig.registries`, and the Secrets that it names; undefined if there are no
 * registries.
 */
export function registriesSpec(
  context: ClusterContext,
  registries: Registries | undefined,
  parts: ClusterParts,
): ClusterFields | undefined {
  const { mirrors = {}, configs = {} } = registries ?? {};
  const spec = {
    mirrors: Object.fromEntries(
      Object.entries(mirrors).map(([registry, { endpoints, rewrites }]) => [
        registry,
        { endpoint: [...endpoints], rewrite: rewrites },
      ]),
    ),
    configs: Object.fromEntries(
      Object.entries(configs).map(([registry, config]) => [
        registry,
        configSpec(context, registry, config, parts),
      ]),
    ),
  };
  const filled = Object.entries(spec).filter(([, value]) => Object.keys(value).length > 0);
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

function configSpec(
  context: ClusterContext,
  registry: string,
  config: RegistryConfig,
  parts: ClusterParts,
): ClusterFields {
  return {
    authConfigSecretName:
      config.auth && secretName(context, 'auth', registry, config.auth._secret, parts.before),
    tlsSecretName:
      config.tls && secretName(context, 'tls', registry, config.tls._secret, parts.before),
    // the server expects base64
    caBundle:
      config.caCertificates === undefined
        ? undefined
        : Buffer.from(config.caCertificates).toString('base64'),
    insecureSkipVerify: config.insecureSkipTlsVerify,
  };
}

/** The credentials of the registry that Rancher's agents on an imported cluster come from. */
export function pullSecretName(
  cluster: ObjectPlace,
  registry: string,
  auth: RegistryAuth,
  before: IConstruct[],
): string {
  return secretName(cluster, 'auth', registry, auth._secret, before, 'agent-registry');
}

/** Where the Secrets of a cluster are. */
type ObjectPlace = Pick<ClusterContext, 'scope' | 'name' | 'fleetWorkspace' | 'rancher'>;

function secretName(
  cluster: ObjectPlace,
  what: string,
  registry: string,
  content: SecretContent | string,
  before: IConstruct[],
  deletion?: string,
): string {
  const nameOf = () => clusterObjectName(`registryconfig-${what}-${cluster.name}`, registry);
  return clusterObject(cluster, { kind: 'Secret', content, nameOf, deletion }, before);
}

/** Checks the registries. */
export function* checkRegistries({
  mirrors = {},
  configs = {},
}: Registries = {}): Iterable<Problem> {
  for (const [registry, { endpoints }] of Object.entries(mirrors)) {
    const path = `registries.mirrors[${registry}].endpoints`;
    if (endpoints.length === 0) {
      yield { path, message: 'must have at least one URL', fix: 'add a URL, or remove the mirror' };
    }
    for (const [index, endpoint] of endpoints.entries()) {
      if (isLate(endpoint) || /^https?:\/\/[^/\s]+/.test(endpoint)) {
        continue;
      }
      yield {
        path: `${path}[${index}]`,
        value: endpoint,
        message: 'must be a URL with a scheme',
        fix: 'write e.g. https://mirror.example.com',
      };
    }
    yield* checkRegistryHost('registries.mirrors', registry);
  }
  for (const [registry, { auth, caCertificates, insecureSkipTlsVerify, tls }] of Object.entries(
    configs,
  )) {
    const path = `registries.configs[${registry}]`;
    yield* checkRegistryHost('registries.configs', registry);
    yield* checkCertificates(`${path}.caCertificates`, caCertificates);
    if (tls?._pair) {
      yield* checkCertificatePair(
        `${path}.tls`,
        tls._pair.certificate,
        tls._pair.privateKey._unwrap(),
      );
    }
    if (
      typeof auth?._secret === 'object' &&
      Object.values(auth._secret.data).every((value) => value === undefined)
    ) {
      yield {
        path: `${path}.auth`,
        message: 'must have credentials',
        fix: 'set username and password, auth or identityToken',
      };
    }
    if (!auth && !tls && caCertificates === undefined && insecureSkipTlsVerify === undefined) {
      yield {
        path,
        message: 'must have at least one prop',
        fix: 'set auth, tls, caCertificates or insecureSkipTlsVerify, or remove the entry',
      };
    }
  }
}
