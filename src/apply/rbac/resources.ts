import { groupOf, kindKey } from '../../model/manifest';

/** Resources whose name is not the plural of their kind. @see harvester's CRDs: of all that Rancher and Harvester serve, this one alone */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  [kindKey('k8s.cni.cncf.io', 'NetworkAttachmentDefinition'), 'network-attachment-definitions'],
  [kindKey('', 'Endpoints'), 'endpoints'],
]);

/** The resource of a kind, as roles and paths name it: without a cluster it is told by the rules by which generators name them. */
export function resourceOf(apiVersion: string, kind: string): string {
  const known = IRREGULAR.get(kindKey(groupOf(apiVersion), kind));
  if (known !== undefined) { return known; }
  const name = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(name)) { return `${name}es`; }
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}
