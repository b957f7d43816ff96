import { join } from 'path';
import { referenceOf } from './arguments';
import { PROVIDERS, argumentsOf } from '../../src/report/explain/terraform-arguments';
import { TERRAFORM_NAMES, WITHOUT_CONSTRUCT } from '../../src/report/explain/terraform-names.data';

const DOCS = join(__dirname, '..', '..', 'docs');

/** The page with the tables. */
export const PAGE = join(DOCS, 'coming-from-terraform.md');

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

const BEGIN = '<!-- the rest of the page is generated: npx projen docs:terraform -->\n';

/** The page with its tables as the library knows the names of Terraform. */
export function pageWith(page: string): string {
  const start = page.indexOf(BEGIN);
  if (start < 0) {
    throw new Error(`${PAGE}: must contain the line ${BEGIN}`);
  }
  const unknown = Object.keys(DIFFERENCES).filter((name) => !TERRAFORM_NAMES.has(name));
  if (unknown.length > 0) {
    throw new Error(`differences of unknown resources: ${unknown.join(', ')}`);
  }
  return `${page.slice(0, start)}${BEGIN}${['rancher2', 'harvester'].map(tableOf).join('')}${withoutConstruct()}`;
}

function tableOf(provider: string): string {
  const rows = [...TERRAFORM_NAMES]
    .filter(([name]) => name.startsWith(`${provider}_`))
    .sort()
    .map(
      ([name, constructs]) =>
        `| ${resourceOf(name)} | ${constructs.map(linked).join(', ')} | ${DIFFERENCES[name] ?? ''} |\n`,
    );
  return `\n## Resources of ${provider}\n\n| resource | construct | what differs |\n|---|---|---|\n${rows.join('')}`;
}

/** A resource, with its arguments if the newest provider has it. */
function resourceOf(name: string): string {
  const provider = PROVIDERS.find((each) => argumentsOf(each).has(name));
  return provider === undefined ? `\`${name}\`` : `[\`${name}\`](terraform-${provider}.md#${name})`;
}

function linked(construct: string): string {
  const page = referenceOf(construct);
  return page === undefined ? `\`${construct}\`` : `[\`${construct}\`](${page})`;
}

function withoutConstruct(): string {
  const rows = [...WITHOUT_CONSTRUCT]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, [why, fix]]) => `| ${resourceOf(name)} | ${why} | ${fix} |\n`);
  return `\n## Resources without a construct\n\n| resource | why | what to do |\n|---|---|---|\n${rows.join('')}`;
}
