import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { CONSTRUCTIONS, baseOf } from './_inverses';
import { roundTrip } from './_round-trip';

const SECRET = 'its Secret is referred to, or left out: values of Secrets are not read';

/** Constructs that no inverse makes, and why. */
const WITHOUT: { readonly [name: string]: string } = {
  CloudCredential: SECRET,
  GuestChart: 'is made for each cluster that was read',
  HarvesterChart: 'is made for each cluster that was read',
  KubeconfigSecret: SECRET,
  LateValue: 'writes no object',
  ProjectCertificate: SECRET,
  ProjectRegistrySecret: SECRET,
  ProjectSecret: SECRET,
  RancherChart: 'is made for each cluster that was read',
  Rke1Cluster:
    'Rancher generates the names of node pools, which no prop takes, and RKE1 ended with Rancher 2.12: its objects become ApiObjects',
  S3Credential: SECRET,
};

/**
 * Constructs whose objects come back as those of others, which lose nothing, with what no other
 * construct writes, and why.
 */
const AS_OTHERS: {
  readonly [name: string]: {
    readonly types: readonly string[];
    readonly plain?: readonly string[];
    readonly because: string;
  };
} = {
  NodeImages: {
    types: ['NodeCloudInit'],
    because: 'its file is text: one that was changed by hand is no longer that of archives',
  },
  SharedImages: {
    types: ['TenantProject'],
    because: 'a project whose members read images is a project, which may have other members',
  },
  TenantTeam: {
    types: ['RoleTemplate', 'TenantTeam'],
    because: 'all teams share its roles, and its networks and its account have constructs',
  },
};

test.each(Object.entries(AS_OTHERS))(
  '%s comes back as other constructs without a loss',
  (name, { types, plain = [] }) => {
    const { adopted, poor, wrong } = roundTrip(baseOf(CONSTRUCTIONS.get(name)!)!);
    const made = adopted.statements.all().map(({ draft }) => draft.type);
    expect({ poor, wrong, made: types.filter((type) => made.includes(type)) }).toEqual({
      poor: plain,
      wrong: [],
      made: types,
    });
  },
);

test('every construct has a tested inverse, or a reason why there is none', () => {
  const tests = readdirSync(__dirname)
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(__dirname, file), 'utf8'));
  const lists = tests.flatMap((text) =>
    [...text.matchAll(/testInverses\(\s*\[([^\]]*)\]/g)].map(([, names]) => names),
  );
  const tested = new Set(
    lists.flatMap((names) => [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name)),
  );
  const classes = [...new Set([...CONSTRUCTIONS.keys()].map((name) => name.split('.')[0]))];
  expect(classes.filter((name) => !tested.has(name) && !(name in AS_OTHERS)).sort()).toEqual(
    Object.keys(WITHOUT).sort(),
  );
});
