import { Manifest } from '../../../src/core/manifest/manifest';
import { fieldPathText, secretFields } from '../../../src/core/secret/secret-fields';
import { secretTexts } from '../../../src/core/secret/secret-texts';
import { fc } from '../../support/properties';

const fieldsOf = (manifest: object): string[] =>
  secretFields({ metadata: { name: 'given' }, ...manifest } as Manifest, new Set()).map(
    fieldPathText,
  );

const machine = (fields: object): object => ({
  apiVersion: 'rke-machine-config.cattle.io/v1',
  kind: 'HarvesterConfig',
  ...fields,
});

const GUEST_AGENT = `#cloud-config
package_update: true
packages:
  - qemu-guest-agent
runcmd:
  - [systemctl, enable, --now, qemu-guest-agent.service]
`;

describe('user data', () => {
  test.each([
    ['the guest agent', GUEST_AGENT],
    [
      'a public key',
      '#cloud-config\nssh_authorized_keys:\n  - ssh-ed25519 AAAAC3NzaC1l ana@work\n',
    ],
    ['a switch whose key mentions a password', '#cloud-config\nssh_pwauth: "no"\n'],
    [
      'an argument that turns access off',
      '#cloud-config\nruncmd: ["kubelet --anonymous-auth=false"]\n',
    ],
  ])('with %s holds no secret', (_, userData) => {
    expect(fieldsOf(machine({ userData }))).toEqual([]);
    const encoded = Buffer.from(userData).toString('base64');
    expect(fieldsOf(machine({ userData: encoded }))).toEqual([]);
  });

  test.each([
    ['a password', '#cloud-config\npassword: hunter22\n'],
    ['a list of passwords', '#cloud-config\nchpasswd:\n  list: |\n    root:hunter22\n'],
    ['a hash', '#cloud-config\nusers:\n  - passwd: $6$rounds=4096$salt$k1jF0bQhX1kAbCdEfGhIjKlM\n'],
    ['a token in a command', "#cloud-config\nruncmd: ['join --token abcdef.0123456789']\n"],
    ['a Secret', '#cloud-config\nwrite_files:\n  - content: |\n      kind: Secret\n'],
  ])('with %s holds one', (_, userData) => {
    expect(fieldsOf(machine({ userData }))).toEqual(['userData']);
    const encoded = Buffer.from(userData).toString('base64');
    expect(fieldsOf(machine({ userData: encoded }))).toEqual(['userData']);
  });

  test('that is compressed may hold one', () => {
    const compressed = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xff, 0xfe, 0xfd, 0xfc]);
    const userData = compressed.toString('base64');
    expect(fieldsOf(machine({ userData }))).toEqual(['userData']);
  });

  test('in a Secret is one whatever it holds', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', stringData: { userdata: GUEST_AGENT } };
    expect(fieldsOf(secret)).toEqual(['stringData.userdata']);
  });
});

test('the ID and the type of the Harvester of a credential are public', () => {
  const stringData = {
    'harvestercredentialConfig-clusterId': 'c-m-juop4lu7',
    'harvestercredentialConfig-clusterType': 'imported',
    'harvestercredentialConfig-kubeconfigContent': 'kind: Config',
  };
  expect(fieldsOf({ apiVersion: 'v1', kind: 'Secret', stringData })).toEqual([
    'stringData.harvestercredentialConfig-kubeconfigContent',
  ]);
});

test('a definition that has a field for a password holds none', () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'logins.example.com' },
    spec: {
      versions: [
        {
          schema: {
            openAPIV3Schema: {
              properties: { password: { type: 'object', required: ['name'], default: 'name' } },
            },
          },
        },
      ],
    },
  };
  expect(fieldsOf(definition)).toEqual([]);
  expect(secretTexts(definition)).toEqual([]);
});

test('the look at all fields finds the same as the look at paths', () => {
  const keys = fc.constantFrom('name', 'value', 'password', 'userData', 'env', 'tls.key', 'auth');
  const text = fc.constantFrom(
    'shop',
    'hunter22',
    'aB3dE5gH7jK9',
    'https://ana:hunter22@example.com',
    'password: hunter22\n',
    'secret=hunter22',
    '{"token": "hunter22"}',
    '${late:rancher.token}',
    'to${late:rancher.token}ken: hunter22',
    'kind: Secret',
    'rbac.authorization.k8s.io/v1',
    '5',
    '',
  );
  const { fields } = fc.letrec<{ fields: unknown }>((tie) => ({
    fields: fc.oneof(
      { depthSize: 'medium', maxDepth: 5 },
      text,
      fc.constant(5),
      fc.array(tie('fields'), { maxLength: 3 }),
      fc.dictionary(keys, tie('fields'), { maxKeys: 4 }),
    ),
  }));
  const kind = fc.constantFrom('Secret', 'Setting', 'ConfigMap', 'HarvesterConfig');
  // a place of the program that the object does not have: all paths are looked at
  const elsewhere = new Set(['no.such.field']);
  fc.assert(
    fc.property(kind, fields, (kindOfObject, spec) => {
      const manifest = { apiVersion: 'v1', kind: kindOfObject, metadata: { name: 'login' }, spec };
      expect(secretFields(manifest, new Set())).toEqual(secretFields(manifest, elsewhere));
    }),
    { numRuns: 2000 },
  );
});
