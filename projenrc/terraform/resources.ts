import { existsSync } from 'fs';
import { join } from 'path';
import { TERRAFORM_NAMES, WITHOUT_CONSTRUCT } from '../../src/report/explain/terraform-names.data';

const DOCS = join(__dirname, '..', '..', 'docs');

/** What differs from the resource, where that needs a sentence. */
const DIFFERENCES: { readonly [resource: string]: string } = {
  rancher2_cloud_credential:
    '`adopt` refers to it by `CloudCredential.fromName`, since its value is secret',
  rancher2_cluster:
    '`HarvesterImport` for an imported Harvester, `ImportedCluster` for other imports, `Rke1Cluster` for RKE1',
  rancher2_cluster_role_template_binding:
    'an entry of `members`; `bindingName` keeps the name of a binding',
  rancher2_cluster_v2:
    'contains its machine pools. The construct writes defaults that the provider leaves out, such as `upgradeStrategy`',
  rancher2_machine_config_v2:
    'an entry of `pools`; `adopted` keeps the JSON of the provider, which sorts keys, so that no machine is replaced',
  rancher2_namespace: 'an entry of `namespaces` of `TenantProject` for a namespace of a project',
  rancher2_node_pool: 'an entry of `pools`',
  rancher2_node_template: 'part of an entry of `pools`',
  rancher2_project_role_template_binding:
    'an entry of `members`; `bindingName` keeps the name of a binding',
  rancher2_secret: 'values come from `SecretValue`, and no output of `adopt` contains one',
  rancher2_user: 'contains its global roles as `permissions`. `adopt` leaves out the password',
  harvester_cloudinit_secret:
    'values come from `SecretValue`, and no output of `adopt` contains one',
  harvester_loadbalancer:
    'only for virtual machines: the cloud provider writes those of guest clusters',
  harvester_virtualmachine: 'contains its volumes and its cloud-init',
};

/** The constructs for a resource. */
export function constructsFor(resource: string, toDocs: string): string {
  const constructs = TERRAFORM_NAMES.get(resource) ?? [];
  return constructs.length === 0
    ? 'no construct'
    : constructs.map((name) => linked(name, toDocs)).join(', ');
}

/** The constructs for a resource and what differs, or why it has none and what to do. */
export function servedBy(resource: string, toDocs: string): string {
  const [why, fix] = WITHOUT_CONSTRUCT.get(resource) ?? [];
  if (why !== undefined) {
    return `no construct, since ${why}. What to do: ${fix}`;
  }
  return [constructsFor(resource, toDocs), DIFFERENCES[resource]].filter(Boolean).join('; ');
}

/** All resources of a provider that the library knows, those without a construct included. */
export function resourcesOf(provider: string): string[] {
  const unknown = Object.keys(DIFFERENCES).filter((name) => !TERRAFORM_NAMES.has(name));
  if (unknown.length > 0) {
    throw new Error(`differences of unknown resources: ${unknown.join(', ')}`);
  }
  return [...TERRAFORM_NAMES.keys(), ...WITHOUT_CONSTRUCT.keys()]
    .filter((name) => name.startsWith(`${provider}_`))
    .sort();
}

/** A name with a link to the page of its type, if it has one. */
export function linked(name: string, toDocs: string): string {
  const type = name.split('.')[0].replace(/(Props|Options)$/, '');
  const page = `reference/${type.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()}.md`;
  return existsSync(join(DOCS, page)) ? `[\`${name}\`](${toDocs}${page})` : `\`${name}\``;
}
