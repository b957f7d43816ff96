import { Construct } from 'constructs';
import { CREATOR_NORMAN, LABEL_CREATOR, LABEL_PROJECT_SECRET } from './project-secret.kind';
import { ResourceOptions, TextMap } from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import {
  ANNOTATION_DESCRIPTION,
  API_VERSIONS,
  ANNOTATION_PROJECT_ID,
} from '../../core/manifest/names';
import { checkCertificatePair, checkCertificates } from '../../core/problem/certificates';
import { Problem, failOnErrors, parsed } from '../../core/problem/problem';
import { attempt } from '../../core/text/values';
import { LateValue } from '../../core/value/late-value';
import { SecretValue } from '../../core/value/secret-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { TYPE_SERVICE_ACCOUNT_TOKEN } from '../../guest/cloud-provider/cloud-provider.kind';
import { checkOwnKeys, requireSameRancher } from '../cluster/managed-cluster';
import { ITenantProject } from '../project/tenant-namespace';
import { RancherResource } from '../rancher-resource';
import { RancherGate, RancherVersion } from '../version/rancher-version';

/** Options of every Secret of a project. Labels and annotations are also those of the copies. */
export interface ProjectSecretOptions extends ResourceOptions {
  /** The project: one of the program, or an existing one. */
  readonly project: ITenantProject;
  /**
   * The name of the Secret and of its copies. No other Secret in the namespaces of the project has
   * it: Rancher overwrites it.
   * @default - the path of the construct below its target chart, as for other constructs
   */
  readonly name?: string;
  /** Description that Rancher's UI shows. @default - no description */
  readonly description?: string;
}

/** Properties of a Secret of a project. */
export interface ProjectSecretProps extends ProjectSecretOptions {
  /** The values by key. */
  readonly data: { readonly [key: string]: SecretValue };
  /** The type of the Secret. Immutable. @default 'Opaque' */
  readonly type?: string;
}

/** Credentials for a container registry. */
export interface ProjectRegistryLogin {
  /**
   * The registry, as in the names of images, e.g. `registry.example.com:5000`;
   * `index.docker.io/v1/` is Docker Hub.
   */
  readonly registry: string;
  /** The username. */
  readonly username: string;
  /** The password or token. */
  readonly password: SecretValue;
}

/** Properties of the registry credentials of a project. */
export interface ProjectRegistrySecretProps extends ProjectSecretOptions {
  /** A login for each registry. */
  readonly logins: ProjectRegistryLogin[];
}

/** Properties of a certificate of a project. */
export interface ProjectCertificateProps extends ProjectSecretOptions {
  /** The certificate in PEM form, with intermediate certificates after it. */
  readonly certificate: string;
  /** The private key of the certificate in PEM form. */
  readonly privateKey: SecretValue;
}

const SECRET_KEY = /^[-._a-zA-Z0-9]{1,253}$/;

/**
 * A Secret in the namespace of a project's bindings, which Rancher copies into the namespaces of
 * the project. @internal
 */
export abstract class ProjectSecretBase extends RancherResource {
  protected constructor(
    scope: Construct,
    id: string,
    options: ProjectSecretOptions,
    type: string,
    problems: readonly Problem[],
    dataOf: (secret: Construct) => TextMap,
  ) {
    super(scope, id, options);
    const { project, description, labels, annotations } = options;
    requireSameRancher(this, 'Secret', this.rancher, project.cluster);
    const isLabeled = FeatureGates.of(RancherGate.PROJECT_SECRET_LABEL).supports(
      RancherVersion.parse(this.rancher.version),
    );
    const fix = 'remove it: it is that of the project';
    failOnErrors(this, [
      ...checkOwnKeys('labels', labels, {
        [LABEL_PROJECT_SECRET]: fix,
        [LABEL_CREATOR]: "remove it: it is that of a Secret of Rancher's API",
      }),
      ...checkOwnKeys('annotations', annotations, {
        [ANNOTATION_PROJECT_ID]: fix,
        [ANNOTATION_DESCRIPTION]: 'use description',
      }),
      ...problems,
    ]);
    const secret = this._write(
      {
        apiVersion: API_VERSIONS.CORE,
        kind: 'Secret',
        metadata: {
          namespace: project.backingNamespace,
          labels: isLabeled
            ? { [LABEL_PROJECT_SECRET]: project.name }
            : { [LABEL_CREATOR]: CREATOR_NORMAN },
          annotations: {
            ...(description === undefined ? {} : { [ANNOTATION_DESCRIPTION]: description }),
            ...(isLabeled ? {} : { [ANNOTATION_PROJECT_ID]: project.projectId }),
          },
        },
        type,
        data: dataOf(this),
      },
      { deletion: 'project' },
    );
    // Rancher creates the namespace together with the Project
    const { defaultChild } = project.node;
    if (defaultChild) {
      Ordering.of(secret)._add(defaultChild, OrderingType.APPLIED);
    }
  }
}

/**
 * A Secret for all namespaces of a project: Rancher copies it into each of them, also into those
 * that come later.
 *
 * It is a Secret on Rancher, in the namespace of the project's bindings. From Rancher 2.12.0 on a
 * label marks it. For earlier versions it has the form of Rancher's own API, which is unconfirmed
 * (not verified on a running system).
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/kubernetes-resources-setup/secrets
 * @example
 * const payments = new TenantProject(rancher, 'payments', { cluster: harvester, tenantNamespaces: [{ name: 'payments-vms' }] });
 * new ProjectSecret(rancher, 'database', { project: payments, data: { password: SecretValue.fromEnv('DB_PASSWORD') } });
 */
export class ProjectSecret extends ProjectSecretBase {
  constructor(scope: Construct, id: string, props: ProjectSecretProps) {
    const { data, type = 'Opaque' } = props;
    super(scope, id, props, type, checkData(data, type), (secret) =>
      Object.fromEntries(
        Object.entries(data).map(([key, value]) => [
          key,
          parsed(secret, `data[${key}]`, () => value._base64()),
        ]),
      ),
    );
  }
}

/**
 * Registry credentials for all namespaces of a project, for `imagePullSecrets`: a `ProjectSecret`
 * of type `kubernetes.io/dockerconfigjson`.
 *
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/pull-image-private-registry/
 * @example
 * const payments = new TenantProject(rancher, 'payments', { cluster: harvester, tenantNamespaces: [{ name: 'payments-vms' }] });
 * new ProjectRegistrySecret(rancher, 'mirror', {
 *   project: payments,
 *   logins: [{ registry: 'registry.example.com', username: 'payments', password: SecretValue.fromEnv('REGISTRY_PASSWORD') }],
 * });
 */
export class ProjectRegistrySecret extends ProjectSecretBase {
  constructor(scope: Construct, id: string, props: ProjectRegistrySecretProps) {
    super(
      scope,
      id,
      props,
      'kubernetes.io/dockerconfigjson',
      checkLogins(props.logins),
      (secret) => ({
        '.dockerconfigjson': encoded(
          secret,
          'Config',
          JSON.stringify({ auths: authsOf(secret, props.logins) }),
        ),
      }),
    );
  }
}

/**
 * A certificate for all namespaces of a project, e.g. of an Ingress: a `ProjectSecret` of type
 * `kubernetes.io/tls`.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#tls-secrets
 * @example
 * const payments = new TenantProject(rancher, 'payments', { cluster: harvester, tenantNamespaces: [{ name: 'payments-vms' }] });
 * new ProjectCertificate(rancher, 'wildcard', {
 *   project: payments, certificate: readFileSync('wildcard.pem', 'utf8'), privateKey: SecretValue.fromFile('wildcard.key', { keepTrailingNewline: true }),
 * });
 */
export class ProjectCertificate extends ProjectSecretBase {
  constructor(scope: Construct, id: string, props: ProjectCertificateProps) {
    const { certificate, privateKey } = props;
    super(scope, id, props, 'kubernetes.io/tls', checkPair(certificate, privateKey), (secret) => ({
      'tls.crt': Buffer.from(certificate, 'utf8').toString('base64'),
      'tls.key': parsed(secret, 'privateKey', () => privateKey._base64()),
    }));
  }
}

/** The logins as kubelet reads them; `auth` repeats username and password for other readers. */
function authsOf(
  secret: Construct,
  logins: readonly ProjectRegistryLogin[],
): { readonly [registry: string]: object } {
  return Object.fromEntries(
    logins.map(({ registry, username, password: given }, index) => {
      const password = parsed(secret, `logins[${index}].password`, () => given._unwrap());
      return [
        registry,
        { username, password, auth: encoded(secret, `Auth${index}`, `${username}:${password}`) },
      ];
    }),
  );
}

/**
 * A text in Base64, also with a secret that only a live cluster knows; synthesis finds the marker
 * of a secret of the program in it.
 */
function encoded(secret: Construct, id: string, text: string): string {
  return LateValue._base64Of(secret, id, text, {
    description: `credentials in ${secret.node.path}`,
    sensitive: true,
  });
}

function checkData(data: { readonly [key: string]: SecretValue }, type: string): Problem[] {
  const keys = Object.keys(data);
  return [
    ...(keys.length > 0 ? [] : [{ path: 'data', message: 'cannot be empty', fix: 'add a value' }]),
    ...keys
      .filter((key) => !SECRET_KEY.test(key))
      .map((key) => ({
        path: `data[${key}]`,
        message: 'must have a key of letters, digits, hyphens, dots and underscores',
        fix: 'use such a key',
      })),
    ...(type === TYPE_SERVICE_ACCOUNT_TOKEN
      ? [
          {
            path: 'type',
            value: type,
            message: 'cannot be that of a token, which belongs to one ServiceAccount',
            fix: 'use ServiceAccountKubeconfig',
          },
        ]
      : []),
  ];
}

function checkLogins(logins: readonly ProjectRegistryLogin[]): Problem[] {
  const registries = logins.map(({ registry }) => registry);
  return [
    ...(logins.length > 0
      ? []
      : [{ path: 'logins', message: 'cannot be empty', fix: 'add a login' }]),
    ...logins.flatMap(({ registry, username }, index) => [
      ...(/^[a-z]+:\/\//i.test(registry) || registry === ''
        ? [
            {
              path: `logins[${index}].registry`,
              value: registry,
              message: 'must be a host as in the names of images, without a scheme',
              fix: 'write it like registry.example.com:5000',
            },
          ]
        : []),
      ...(registries.indexOf(registry) === index
        ? []
        : [
            {
              path: `logins[${index}].registry`,
              value: registry,
              message: 'cannot have two logins',
              fix: 'remove one',
            },
          ]),
      ...(username !== '' && !username.includes(':')
        ? []
        : [
            {
              path: `logins[${index}].username`,
              value: username,
              message: 'must be a text without a colon',
              fix: 'set the username',
            },
          ]),
    ]),
  ];
}

function checkPair(certificate: string, privateKey: SecretValue): Problem[] {
  const key = attempt(() => privateKey._unwrap());
  // a secret that is missing is reported with its prop, when it is written
  if (key === undefined) {
    return checkCertificates('certificate', certificate);
  }
  return checkCertificatePair('', certificate, key).map((problem) => ({
    ...problem,
    path: problem.path.replace(/^\.key$/, 'privateKey').replace(/^\./, ''),
  }));
}
