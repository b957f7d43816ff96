import * as library from '../../../src/index';
import { explain } from '../../../src/report/explain/explain';
import { ConstructBook, TypeDocs } from '../../../src/report/explain/explain-construct';
import { TERRAFORM_NAME, TERRAFORM_NAMES } from '../../../src/report/explain/terraform-names.data';

const type = (name: string): TypeDocs['types'][string] => ({ name, fqn: `p.${name}`, kind: 'class', docs: { summary: `It is ${name}.` } });
const DOCS: TypeDocs = {
  types: { 'p.GuestCluster': type('GuestCluster'), 'p.CustomCluster': type('CustomCluster') },
  writes: {},
  pages: { GuestCluster: 'docs/reference/guest-cluster.md', CustomCluster: 'docs/reference/custom-cluster.md' },
};

test.each(['rancher2_cluster_v2', 'Rancher2_Cluster_V2'])('explains the constructs for %s of Terraform', (topic) => {
  expect(explain(topic, new ConstructBook(DOCS)).map(({ name }) => name)).toEqual(['GuestCluster', 'CustomCluster']);
});

test.each(['rancher2_oidc_client', 'harvester_pcidevice'])('reports that no construct is for %s', (topic) => {
  expect(() => explain(topic, new ConstructBook(DOCS))).toThrow(`${topic}: no construct of this package is for it. Fix: use a construct that API.md lists, or declare`);
});

test('leads to constructs of the library only', () => {
  const constructs = [...TERRAFORM_NAMES.values()].flat();
  expect(constructs.length).toBeGreaterThan(20);
  expect(constructs.filter((name) => !(name in library))).toEqual([]);
  expect([...TERRAFORM_NAMES.keys()].filter((name) => !TERRAFORM_NAME.test(name))).toEqual([]);
});
