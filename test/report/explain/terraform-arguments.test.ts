import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import * as cdk8s from 'cdk8s';
import { explain } from '../../../src/report/explain/explain';
import { ConstructBook, TypeDocs } from '../../../src/report/explain/explain-construct';
import { explainKinds } from '../../../src/report/explain/explain-kind';
import {
  PROVIDERS,
  TerraformArgument,
  argumentOf,
  argumentsOf,
} from '../../../src/report/explain/terraform-arguments';
import { readPublicApi } from '../../api/_api';

type Provider = (typeof PROVIDERS)[number];

const FOLDER = join(__dirname, 'terraform');

/**
 * The arguments of a provider, as its schema names them; the blocks for other infrastructure than
 * Harvester are one argument each.
 */
function named(provider: Provider): readonly (readonly [resource: string, path: string])[] {
  const file = readdirSync(FOLDER).find((name) => name.startsWith(`${provider}-`))!;
  return readFileSync(join(FOLDER, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]);
}

const rows = (provider: Provider): (TerraformArgument & { readonly resource: string })[] =>
  [...argumentsOf(provider)].flatMap(([resource, each]) =>
    each.map((row) => ({ resource, ...row })),
  );

let book: ConstructBook;
beforeAll(() => {
  book = new ConstructBook({
    types: readPublicApi().assembly.types,
    pages: {},
  } as unknown as TypeDocs);
});

/**
 * Whether a name is a public member, a field of a kind, or the class of cdk8s for all other
 * objects.
 */
function isKnown(name: string): boolean {
  if (name.startsWith('cdk8s.')) {
    return name === `cdk8s.${cdk8s.ApiObject.name}`;
  }
  return [...book.explain(name), ...explainKinds(name, () => [])].some(
    (found) => found.name.replace(/ \(.*\)$/, '').replaceAll('[]', '') === name,
  );
}

describe.each(PROVIDERS)('the arguments of %s', (provider) => {
  test('are served, or out of scope with a reason', () => {
    expect(
      named(provider)
        .filter(([resource, path]) => argumentOf(resource, path) === undefined)
        .map((each) => each.join('.')),
    ).toEqual([]);
    expect(
      rows(provider)
        .filter(({ by, remark }) => by.length === 0 && (remark ?? '') === '')
        .map(({ resource, path }) => `${resource}.${path}`),
    ).toEqual([]);
  });

  test('are those of the provider', () => {
    const names = named(provider);
    expect(
      rows(provider)
        .filter(
          (row) =>
            !names.some(
              ([resource, path]) =>
                resource === row.resource &&
                (row.path === '' || path === row.path || path.startsWith(`${row.path}.`)),
            ),
        )
        .map(({ resource, path }) => `${resource}.${path}`),
    ).toEqual([]);
  });

  test('lead to members of the public API, and to fields of known kinds', () => {
    expect(
      [...new Set(rows(provider).flatMap(({ by }) => by))].filter((name) => !isKnown(name)),
    ).toEqual([]);
  });
});

test('knows no misspelled name', () => {
  expect(
    [
      'GuestCluster.pool',
      'guestCluster.pools',
      'OIDCClient.spec.redirectUris',
      'Nothing.name',
      'cdk8s.Chart',
    ].filter(isKnown),
  ).toEqual([]);
  expect(
    ['GuestCluster.pools', 'VmImage.download', 'OIDCClient.spec.redirectURIs'].every(isKnown),
  ).toBe(true);
});

test('explains an argument with the prop that serves it', () => {
  const [argument, member] = explain('harvester_image.url', book);
  expect(argument).toMatchObject({
    subject: 'argument',
    summary: 'Served by DownloadedImageProps.url.',
    docs: 'docs/terraform/harvester_image.md',
  });
  expect(member.name).toBe('DownloadedImageProps.url');
  expect(explain('rancher2_cluster.eks_config_v2.region', book)[0].summary).toMatch(
    /^Out of scope: /,
  );
  expect(() => explain('harvester_image.nothing', book)).toThrow('harvester_image.nothing');
});

test('explains a block by its arguments, and names by their end', () => {
  const [block] = explain('rancher2_machine_config_v2.harvester_config', book);
  expect(block.parts[0].lines).toContain('harvester_config.cpu_count: Served by MachinePool.cpus');
  expect(explain('rancher2_cluster_v2.machine_pools.rolling_update', book)[0].name).toBe(
    'rancher2_cluster_v2.rke_config.machine_pools.rolling_update',
  );
  expect(explain('rancher2_machine_config_v2.reserved_memory_size', book)[0].name).toBe(
    'rancher2_machine_config_v2.harvester_config.reserved_memory_size',
  );
  expect(explain('rancher2_cluster_v2.name', book)[0].name).toBe('rancher2_cluster_v2.name');
});

test('reports an argument that a resource does not have, with those that may be meant', () => {
  expect(() => explain('rancher2_cluster_v2.hostname', book)).toThrow(
    'rancher2_cluster_v2.hostname: must be an argument of rancher2_cluster_v2. ' +
      'Fix: use rancher2_cluster_v2.rke_config.registries.configs.hostname or rancher2_cluster_v2.rke_config.registries.mirrors.hostname',
  );
  expect(() => explain('harvester_image.check_sum', book)).toThrow(
    'Fix: use harvester_image.checksum if that is what you mean',
  );
  expect(() => explain('harvester_image.xxxxxxxxxxxxxxxxxxxx', book)).toThrow(
    'Fix: use one that docs/terraform/harvester_image.md lists',
  );
});

test.each([
  'harvester_image.timeouts',
  'rancher2_cluster_v2.depends_on',
  'rancher2_project.for_each',
  'harvester_network.lifecycle.ignore_changes',
])('explains %s, which every resource has', (topic) => {
  const [first, ...others] = explain(topic, book);
  expect({ first, others }).toMatchObject({
    first: { name: topic, docs: 'docs/coming-from-terraform.md' },
    others: [],
  });
});

test.each([
  ['kubernetes_secret', 'CloudInitSecret'],
  ['kubernetes_namespace_v1', 'HarvesterNamespace'],
  ['kubernetes_manifest', 'ApiObject'],
  ['kubectl_manifest', 'ApiObject'],
  ['helm_release', 'HelmChartAddon'],
  ['data.http', 'late value'],
  ['tls_private_key.ssh', 'SecretValue.fromEnv'],
])('reports what to use for %s of another provider', (topic, use) => {
  expect(() => explain(topic, book)).toThrow(
    new RegExp(`^${topic}: is of another provider, .*Fix: .*${use}`),
  );
});
