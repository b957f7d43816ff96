import { credentialSecret } from './secret.kind';
import { NamedSecret } from '../../core/kind/description/access';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, itemsAt, valueAt } from '../../core/manifest/manifest';
import { filledText } from '../../core/text/plain-text';
import { SECRET_SCHEME } from '../../guest/cluster/cluster.kind';
import { CLOUD_PROVIDER_CONFIG } from '../../guest/kubernetes/rke2.data';

/** What the writer of a Secret decides, by the field that names it. */
const DECIDES = {
  MACHINES: 'on which Harvester Rancher creates the machines, and with which account',
  SNAPSHOTS: 'where Rancher stores snapshots of etcd, which contain all Secrets of the cluster',
  CLOUD_PROVIDER: 'which Harvester the cloud provider of the cluster calls, and with which account',
  PULL: 'with which account the nodes pull images',
  CERTIFICATE: 'with which client certificate the nodes pull images',
  AGENTS: "with which account the cluster pulls the images of Rancher's agents",
  FILES: 'which files root has on the nodes',
} as const;

type Found = readonly (readonly [path: string, text: unknown, decides: string])[];

/**
 * The Secrets on Rancher that a Cluster with machines names, and what their writers decide.
 *
 * @see rancher/rancher:pkg/controllers/capr/machineprovision/args.go GetCloudCredentialSecret;
 * pkg/capr/planner/registry.go, config.go, etcdcreate.go
 */
export function secretsOfCluster(manifest: Manifest): readonly NamedSecret[] {
  const config = valueAt(manifest, 'spec', 'rkeConfig');
  if (!isRecord(config)) {
    return [];
  }
  const pools = itemsAt(config, 'machinePools').map(
    (pool, index) =>
      [
        `spec.rkeConfig.machinePools[${index}].cloudCredentialSecretName`,
        valueAt(pool, 'cloudCredentialSecretName'),
        DECIDES.MACHINES,
      ] as const,
  );
  const found: Found = [
    [
      'spec.cloudCredentialSecretName',
      valueAt(manifest, 'spec', 'cloudCredentialSecretName'),
      DECIDES.MACHINES,
    ],
    ...pools,
    [
      'spec.rkeConfig.etcd.s3.cloudCredentialName',
      valueAt(config, 'etcd', 's3', 'cloudCredentialName'),
      DECIDES.SNAPSHOTS,
    ],
    ...cloudConfigsOf(config),
    ...registrySecretsOf(config),
    ...fileSecretsOf(config),
  ];
  return found.flatMap((each) => secretAt(manifest, each) ?? []);
}

/**
 * The Secrets on Rancher that an imported cluster names. @see
 * rancher/rancher:pkg/cluster/private_registry.go PrivateRegistryPullSecrets
 */
export function secretsOfImport(manifest: Manifest): readonly NamedSecret[] {
  const namespace = filledText(valueAt(manifest, 'spec', 'fleetWorkspaceName'));
  const path = 'spec.importedConfig.privateRegistryPullSecrets';
  return itemsAt(manifest, 'spec', 'importedConfig', 'privateRegistryPullSecrets').flatMap(
    (text, index) => {
      const name = filledText(text);
      return name === undefined || namespace === undefined || isLate(name) || isLate(namespace)
        ? []
        : [{ path: `${path}[${index}]`, namespace, name, decides: DECIDES.AGENTS }];
    },
  );
}

/**
 * The Secret on Rancher that a node template names. @see
 * rancher/rancher:pkg/controllers/management/node/controller.go setCredFields (before 2.12)
 */
export function secretsOfNodeTemplate(manifest: Manifest): readonly NamedSecret[] {
  const path = 'spec.cloudCredentialName';
  const text = valueAt(manifest, 'spec', 'cloudCredentialName');
  const secret = secretAt(manifest, [path, text, DECIDES.MACHINES]);
  return secret === undefined ? [] : [secret];
}

function cloudConfigsOf(config: unknown): Found {
  const global = [
    `spec.rkeConfig.machineGlobalConfig.${CLOUD_PROVIDER_CONFIG}`,
    valueAt(config, 'machineGlobalConfig', CLOUD_PROVIDER_CONFIG),
  ] as const;
  const selected = itemsAt(config, 'machineSelectorConfig').map(
    (entry, index) =>
      [
        `spec.rkeConfig.machineSelectorConfig[${index}].config.${CLOUD_PROVIDER_CONFIG}`,
        valueAt(entry, 'config', CLOUD_PROVIDER_CONFIG),
      ] as const,
  );
  return [global, ...selected].flatMap(([path, text]) =>
    typeof text === 'string' && text.startsWith(SECRET_SCHEME)
      ? [[path, text.slice(SECRET_SCHEME.length), DECIDES.CLOUD_PROVIDER] as const]
      : [],
  );
}

function registrySecretsOf(config: unknown): Found {
  const configs = valueAt(config, 'registries', 'configs');
  return Object.entries(isRecord(configs) ? configs : {}).flatMap(([host, registry]) => {
    const path = `spec.rkeConfig.registries.configs[${host}]`;
    return [
      [
        `${path}.authConfigSecretName`,
        valueAt(registry, 'authConfigSecretName'),
        DECIDES.PULL,
      ] as const,
      [`${path}.tlsSecretName`, valueAt(registry, 'tlsSecretName'), DECIDES.CERTIFICATE] as const,
    ];
  });
}

function fileSecretsOf(config: unknown): Found {
  return itemsAt(config, 'machineSelectorFiles').flatMap((file, index) =>
    itemsAt(file, 'fileSources').map(
      (source, number) =>
        [
          `spec.rkeConfig.machineSelectorFiles[${index}].fileSources[${number}].secret.name`,
          valueAt(source, 'secret', 'name'),
          DECIDES.FILES,
        ] as const,
    ),
  );
}

/**
 * The Secret of a field: `<namespace>:<name>`, or a name in the namespace of the object; undefined
 * for none, and for late values.
 */
function secretAt(
  manifest: Manifest,
  [path, value, decides]: Found[number],
): NamedSecret | undefined {
  const text = filledText(value);
  if (text === undefined || isLate(text)) {
    return undefined;
  }
  const parts = text.split(':');
  const { namespace, name } =
    parts.length === 2 ? { namespace: parts[0], name: parts[1] } : credentialSecret(manifest, text);
  return name === '' || namespace === '' || isLate(namespace) || name.includes(':')
    ? undefined
    : { path, namespace, name, decides };
}
