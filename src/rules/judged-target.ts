import { JudgedTarget } from './rule';

/** What an assembly says of a target besides its version, by name. */
interface TargetProperties { readonly [name: string]: string | undefined }

/** The properties that rules read, by the kind of the target. */
const PROPERTIES = {
  rancher: ['serverUrl', 'privateCa'],
  harvester: ['vip', 'managedAs'],
  guest: ['provisioningCluster', 'rancher', 'harvester'],
} as const;

const VERSION = { rancher: 'rancherVersion', harvester: 'harvesterVersion', guest: 'kubernetesVersion' } as const;

/** A target whose one version is that of the product which runs there. */
export function judgedTarget(name: string, kind: NonNullable<JudgedTarget['kind']>, version: string, properties: TargetProperties = {}): JudgedTarget {
  const known = PROPERTIES[kind].flatMap((key) => (properties[key] === undefined ? [] : [[key, properties[key]] as const]));
  return { name, kind, [VERSION[kind]]: version, ...Object.fromEntries(known) };
}
