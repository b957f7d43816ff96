import { JudgedTarget } from './rule';

/** A target whose one version is that of the product which runs there. */
export function judgedTarget(name: string, kind: NonNullable<JudgedTarget['kind']>, version: string, provisioningCluster?: string): JudgedTarget {
  switch (kind) {
    case 'rancher': return { name, kind, rancherVersion: version };
    case 'harvester': return { name, kind, harvesterVersion: version };
    case 'guest': return { name, kind, kubernetesVersion: version, ...(provisioningCluster === undefined ? {} : { provisioningCluster }) };
  }
}
