import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { CONSTRUCTIONS } from './_inverses';

const SECRET = 'its Secret is referred to, or left out: values of Secrets are not read';

/** Constructs that no inverse makes, and why. */
const WITHOUT: { readonly [name: string]: string } = {
  CloudCredential: SECRET,
  GuestChart: 'is made for each cluster that was read',
  HarvesterChart: 'is made for each cluster that was read',
  KubeconfigSecret: SECRET,
  LateValue: 'writes no object',
  NodeImages: 'comes back as NodeCloudInit',
  ProjectCertificate: SECRET,
  ProjectRegistrySecret: SECRET,
  ProjectSecret: SECRET,
  RancherChart: 'is made for each cluster that was read',
  Rke1Cluster: 'RKE1 ended with Rancher 2.12: its objects become ApiObjects',
  S3Credential: SECRET,
  // a team that several constructs declare is easier to change by hand than one that is cut from objects which differ in a role or a quota
  TenantTeam: 'comes back as the constructs that it is made of, which lose nothing; repeated ones become a loop',
};

test('every construct has a tested inverse, or a reason why there is none', () => {
  const tests = readdirSync(__dirname).filter((file) => file.endsWith('.test.ts')).map((file) => readFileSync(join(__dirname, file), 'utf8'));
  const lists = tests.flatMap((text) => [...text.matchAll(/testInverses\(\[([^\]]*)\]/g)].map(([, names]) => names));
  const tested = new Set(lists.flatMap((names) => [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name)));
  const classes = [...new Set([...CONSTRUCTIONS.keys()].map((name) => name.split('.')[0]))];
  expect(classes.filter((name) => !tested.has(name)).sort()).toEqual(Object.keys(WITHOUT).sort());
});
