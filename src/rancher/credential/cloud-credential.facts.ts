import { isLate } from '../../core/late/late-token';
import { Fields, Manifest, valueAt } from '../../core/manifest/manifest';
import { secretEntry } from '../../core/secret/definition';
import { byObject } from '../../core/text/values';
import { poolsOf } from '../../guest/cluster/cluster-reader.facts';
import { KubeconfigView, viewKubeconfig } from '../../guest/kubeconfig/kubeconfig.check';
import { driverText } from '../../guest/machine-config/machine-json.facts';

/**
 * The keys of a Harvester cloud credential.
 * @see rancher/rancher:pkg/data/management/machinedriver_data.go
 */
export const CREDENTIAL_KEY = {
  CLUSTER_ID: 'harvestercredentialConfig-clusterId',
  CLUSTER_TYPE: 'harvestercredentialConfig-clusterType',
  KUBECONFIG: 'harvestercredentialConfig-kubeconfigContent',
} as const;

/** The text of an entry of a credential; undefined where there is none. */
export function credentialText(manifest: Manifest, key: string): string | undefined {
  return secretEntry(manifest, key, isLate)?.text;
}

/**
 * The kubeconfig of a credential; undefined where it is not known yet, `none` where there is a text
 * that is none.
 */
export const readKubeconfig = byObject(
  (manifest: Manifest): KubeconfigView | 'none' | undefined => {
    const text = credentialText(manifest, CREDENTIAL_KEY.KUBECONFIG);
    if (!text || isLate(text)) {
      return undefined;
    }
    return viewKubeconfig(driverText(text)) ?? 'none';
  },
);

/** The kubeconfig of a credential, as far as it can be read. */
export function credentialKubeconfig(manifest: Manifest): KubeconfigView | undefined {
  const config = readKubeconfig(manifest);
  return config === 'none' ? undefined : config;
}

/** The credentials that a Cluster uses, with their paths. */
export const cloudCredentialsOf = byObject(
  (manifest: Manifest): ReadonlyArray<{ readonly path: string; readonly text: string }> => {
    const of = (
      path: string,
      fields: Fields | unknown,
    ): Array<{ readonly path: string; readonly text: string }> => {
      const text = valueAt(fields, 'cloudCredentialSecretName');
      return typeof text === 'string' && text !== ''
        ? [{ path: `${path}.cloudCredentialSecretName`, text }]
        : [];
    };
    return [
      ...of('spec', manifest.spec),
      ...poolsOf(manifest).flatMap(({ path, fields }) => of(path, fields)),
    ];
  },
);
